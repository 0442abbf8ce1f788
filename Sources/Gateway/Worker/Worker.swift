import Access
import EventLoop
import Telemetry

/// Everything one thread serves with, in parts that each look after their own.
///
/// A plain value at a fixed place, reached by pointer: nothing here is shared, locked or counted on a request's way.
/// What crosses threads is handed over through the loop's inbox (decision 0007). A reload puts another worker in the
/// place of this one, with the parts of this one that outlive a configuration.
struct Worker {
    let index: Int
    /// Its loop, and the time.
    var loop: WorkerLoop
    /// What the operator says.
    var policy: ServingPolicy
    /// Who is known: issuers, tokens, sessions, proofs that were used.
    var identities: Identities
    /// The clients' connections, their exchanges, and what both borrow.
    var connections: Connections
    /// The connections to upstreams.
    var upstreams: Upstreams
    /// What others in the process are asked.
    var questions: Questions
    /// The exchanges that wait for an answer.
    var waiting: WaitingExchanges
    /// What is told: logs and metrics.
    var journal: Journal
    /// Memory that every message passes through.
    var scratch: Scratch
    /// Where clients come in, and until when.
    var listening: Listening
    /// The configurations before this one.
    var history: ConfigurationHistory

    /// A worker that has served nobody.
    init(
        index: Int, loop: EventLoop, listeners: UnsafeMutablePointer<ListenerSocket>, settings: GatewaySettings,
        resources: SharedResources, context: WorkerContext
    ) {
        self.index = index
        self.loop = WorkerLoop(loop)
        policy = ServingPolicy(settings, resources, generation: context.generation)
        identities = Identities(settings, resources, context)
        connections = Connections(onBurstOver: context.onBurstOver)
        upstreams = Upstreams(
            resources, context.metrics.upstreams, connections: settings.limits.upstreamConnections)
        questions = Questions(resources, context, on: loop)
        waiting = WaitingExchanges()
        journal = Journal(resources, context)
        scratch = Scratch()
        listening = Listening(
            listeners, count: settings.listeners.count, onEarlyClientsGone: context.onEarlyClientsGone,
            onDrained: context.onDrained)
        history = ConfigurationHistory(onRetired: context.onRetired)
    }

    /// The worker that goes on by another configuration where `old` was.
    ///
    /// What depends on the configuration is made anew: a token that was accepted by other rules is verified once more.
    init(succeeding old: Worker, by succession: Succession) {
        let (settings, resources, context) = (succession.settings, succession.resources, succession.context)
        index = old.index
        loop = old.loop
        policy = ServingPolicy(settings, resources, generation: context.generation)
        identities = Identities(settings, resources, context, continuing: old.identities)
        connections = old.connections
        upstreams = Upstreams(
            resources, context.metrics.upstreams, connections: settings.limits.upstreamConnections,
            continuing: old.upstreams)
        questions = Questions(resources, context, on: loop.events, continuing: old.questions)
        waiting = old.waiting
        journal = Journal(resources, context, continuing: old.journal)
        scratch = old.scratch
        listening = Listening(succession.listeners, count: settings.listeners.count, continuing: old.listening)
        history = old.history
    }
}

extension WorkerRef {
    var clock: WorkerClock { WorkerClock(standsAt: pointee.loop.clockStandsAt) }

    func setTimeout(_ timeout: UnsafeMutablePointer<Timeout>, _ milliseconds: Int) {
        pointee.connections.wheel.set(timeout, milliseconds: milliseconds)
    }

    func clearTimeout(_ timeout: UnsafeMutablePointer<Timeout>) { pointee.connections.wheel.clear(timeout) }
}
