public import EventLoop
public import RESP
public import Transport

/// One server's connection on one loop: opens it, keeps it, and opens it anew, and never waits.
///
/// It performs what its `LinkMachine` says. Commands of one turn of the loop leave in one write at its end; answers are read
/// and told in the turn in which they come. All of it is called on the loop's thread.
public final class ServerLink: CommandSending, @unchecked Sendable {
    let server: LinkServer
    let loop: EventLoop
    let resolver: Resolver
    let clock: () -> UInt64
    unowned let receiver: any LinkReceiving

    var machine: LinkMachine
    var stream = ByteStream()
    var received = ReceivedBytes()
    /// So many of them, from the first, are answers that are not told yet: it is not proved whose they are (SH-80).
    var keptBytes = 0
    var isHandshaking = false
    /// A question for the name's addresses is under way.
    var isResolving = false
    var addresses: [SocketAddress] = []
    /// Which of the addresses is next.
    var turn = 0
    /// Counts the connections there were, so that one that ends while its answers are told is noticed.
    var generation = 0
    /// The connection whose opening was told.
    var openedGeneration = -1

    let readEvent = UnsafeMutablePointer<FileEvent>.allocate(capacity: 1)
    let writeEvent = UnsafeMutablePointer<FileEvent>.allocate(capacity: 1)
    private let flushEvent = UnsafeMutablePointer<FileEvent>.allocate(capacity: 1)
    private let timerEvent = UnsafeMutablePointer<FileEvent>.allocate(capacity: 1)
    /// A read waits until the socket can be written to.
    var isReadingHeldUp = false
    private var isFlushDue = false
    private var isWriteAwaited = false
    private var wakesAt = UInt64.max

    /// A link that is stopped; `clock` tells monotonic microseconds.
    public init(
        _ server: LinkServer, machine: LinkMachine, loop: EventLoop, resolver: Resolver,
        clock: @escaping () -> UInt64, receiver: any LinkReceiving
    ) {
        self.server = server
        self.machine = machine
        self.loop = loop
        self.resolver = resolver
        self.clock = clock
        self.receiver = receiver
        for event in [readEvent, writeEvent, flushEvent, timerEvent] { event.initialize(to: FileEvent()) }
        let context = Unmanaged.passUnretained(self).toOpaque()
        FileEvent.assign(flushEvent, loop.base, -1, [], onFlush, context)
        FileEvent.assign(timerEvent, loop.base, -1, [], onTimer, context)
    }

    deinit {
        closeStream()
        for event in [flushEvent, timerEvent] { FileEvent.remove(event) }
        for event in [readEvent, writeEvent, flushEvent, timerEvent] { event.deallocate() }
        received.deallocate()
    }

    /// Opens the connection at once, and whenever it is lost again.
    public func start() {
        machine.start(now: clock())
        passTime()
    }

    /// Ends the connection; what is in flight is told as unknown.
    public func stop() {
        if machine.phase != .stopped { lose(.stopped) }
    }

    /// How far it is.
    public var phase: LinkMachine.Phase { machine.phase }
    /// What it has done.
    public var counters: LinkCounters { machine.counters }
    /// Commands whose answers are awaited.
    public var inFlight: Int { machine.inFlight }
    /// The same without those of the link itself.
    public var commandsInFlight: Int { machine.commandsInFlight }

    /// Takes a command; see `CommandSending`.
    public func send(_ command: borrowing Command, ticket: UInt64, within: UInt64 = 0) -> SendOutcome {
        let outcome = machine.accept(command, ticket: ticket, within: within)
        if outcome == .accepted { flushLater() }
        return outcome
    }

    /// Takes two commands that belong together, or neither; see `LinkMachine`.
    public func send(
        _ first: borrowing Command, ticket firstTicket: UInt64, before command: borrowing Command, ticket: UInt64,
        within: UInt64 = 0
    ) -> SendOutcome {
        let outcome = machine.accept(
            first, ticket: firstTicket, before: command, ticket: ticket, within: within)
        if outcome == .accepted { flushLater() }
        return outcome
    }

    // MARK: writing

    func flushLater() {
        guard !isFlushDue, !isWriteAwaited else { return }
        isFlushDue = true
        FileEvent.fireNextTurn(flushEvent)
    }

    /// Offers what waits to the socket, in one write.
    func flush() {
        isFlushDue = false
        guard machine.phase == .ready || machine.phase == .greeting, machine.hasOutput else { return }
        if machine.phase == .ready {
            // What is sent meanwhile leaves with the rest: no turn more is wanted for it.
            isFlushDue = true
            receiver.linkWillWrite()
            isFlushDue = false
        }
        machine.offer(now: clock())
        let taken = machine.unsent.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { stream.write($0, count: bytes.count) } ?? 0
        }
        if taken > 0 { machine.wrote(taken) }
        if taken == ByteStream.failed {
            // It may have said why before it closed, such as that there are too many clients.
            let generation = generation
            readAvailable()
            if generation == self.generation { lose(.broken) }
            return
        }
        // A TLS peer that has to be heard first is heard first; `becameReadable` writes on.
        awaitWritable(machine.hasOutput && taken != ByteStream.wantsRead)
        rearm()
    }

    func awaitWritable(_ isAwaited: Bool) {
        guard isAwaited != isWriteAwaited else { return }
        isWriteAwaited = isAwaited
        if isAwaited { FileEvent.add(writeEvent) } else { FileEvent.remove(writeEvent) }
    }

    func becameWritable() {
        if machine.phase == .opening { return isHandshaking ? handshake() : connected() }
        // TLS had to write before it could read on. With nothing of ours to write the event would fire on and on.
        awaitWritable(false)
        if isReadingHeldUp {
            isReadingHeldUp = false
            let generation = generation
            readAvailable()
            guard generation == self.generation else { return }
        }
        flush()
    }

    // MARK: time

    fileprivate func timerFired() {
        wakesAt = .max
        let generation = generation
        // An answer that is there when the time is over counts (SH-07).
        if machine.phase == .greeting || machine.phase == .ready { readAvailable() }
        if generation == self.generation { passTime() } else { rearm() }
    }

    /// Does what the time has come for.
    func passTime() {
        while true {
            switch machine.step(now: clock()) {
            case .nothing:
                if machine.hasOutput { flushLater() }
                return rearm()
            case .attempt: beginAttempt()
            case .expired(let ticket): receiver.linkAnswered(ticket, .unknown)
            case .lose(let loss): lose(loss)
            }
        }
    }

    /// Wakes no later than the machine wants; a timer that is early finds nothing to do.
    func rearm() {
        guard let moment = machine.nextMoment, moment < wakesAt else { return }
        wakesAt = moment
        let now = clock()
        FileEvent.add(timerEvent, milliseconds: moment <= now ? 0 : Int((moment - now + 999) / 1000))
    }

    // MARK: the end of a connection

    /// Lets go of the connection, or the attempt, and tells everyone who waited for it.
    func lose(_ loss: LinkLoss) {
        closeStream()
        machine.lose(loss, now: clock(), random: UInt64.random(in: 0...UInt64.max))
        receiver.linkLost(loss)
        while let failed = machine.takeFailed() {
            if failed.isNotSent {
                receiver.linkAnswered(failed.ticket, .notSent)
            } else {
                receiver.linkAnswered(failed.ticket, .unknown)
            }
        }
        rearm()
    }

    private func closeStream() {
        generation += 1
        isHandshaking = false
        if stream.descriptor >= 0 {
            FileEvent.remove(readEvent)
            FileEvent.remove(writeEvent)
        }
        isWriteAwaited = false
        isReadingHeldUp = false
        stream.close()
        received.clear()
        keptBytes = 0
    }
}

// C callbacks, on the loop's thread; the context is the link, whose `deinit` removes the events. It is held during the call,
// for its receiver may let go of it.
private let onFlush: FileEvent.Callback = { _, _, context in
    let link = CallbackContext.object(context, of: ServerLink.self)
    withExtendedLifetime(link) { link.flush() }
}

private let onTimer: FileEvent.Callback = { _, _, context in
    let link = CallbackContext.object(context, of: ServerLink.self)
    withExtendedLifetime(link) { link.timerFired() }
}

let onLinkReadable: FileEvent.Callback = { _, _, context in
    let link = CallbackContext.object(context, of: ServerLink.self)
    withExtendedLifetime(link) { link.becameReadable() }
}

let onLinkWritable: FileEvent.Callback = { _, _, context in
    let link = CallbackContext.object(context, of: ServerLink.self)
    withExtendedLifetime(link) { link.becameWritable() }
}
