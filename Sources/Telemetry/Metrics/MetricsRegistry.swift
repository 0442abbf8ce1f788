import Synchronization

/// Where a configuration's routes are counted from a reload on, and by what.
package struct MetricsSlots: Sendable {
    /// For each route of the labels, in their order: what to give `countRequest` and `countRefusal` as its route.
    package let routes: [Int]
    /// One per worker, in the workers' order; each takes over what the worker counted by before.
    package let workers: [WorkerMetrics]
}

/// All numbers of the process, and the page that shows them.
///
/// The labels may change while the process runs. No number of what stays is lost, doubled or goes down by that:
///
///     extend ── slots for the new routes, the old routes' slots stay ── each worker, on its own thread, between events:
///                                                                       next.takeOver(from: old), workerUses(next)
package final class MetricsRegistry: Sendable {
    /// The version that `portcullis_build_info` shows.
    package let version: String

    private let shown: Mutex<ShownMetrics>
    let startTime: Timestamp
    private let clockStep = Atomic<Int64>(0)
    private let reloads: Mutex<ReloadReadings>
    private let replay = Mutex<(@Sendable () -> ReplayReadings)?>(nil)
    private let serving = Mutex<(@Sendable () -> ServingReadings)?>(nil)
    private let traces = Mutex<(@Sendable () -> TraceReadings)?>(nil)
    private let store = Mutex<(@Sendable () -> StoreReadings?)?>(nil)
    private let logs = Mutex<[ShownLog]>([])
    /// What workers count of the store.
    package let storeMetrics: StoreMetrics

    /// Allocates every number that is counted until labels change; route i of the labels is counted as route i.
    package init(workers: Int, labels: MetricsLabels, version: String, startTime: Timestamp = .now()) {
        let slots = RouteSlots(labels.routes)
        self.version = version
        self.startTime = startTime
        storeMetrics = StoreMetrics(workers: workers)
        reloads = Mutex(ReloadReadings(appliedAt: startTime.seconds))
        shown = Mutex(
            ShownMetrics(
                labels: labels, slots: slots,
                workers: (0..<workers).map { _ in WorkerMetrics(labels: labels, tenures: slots.tenures) },
                issuers: IssuerMetrics(names: labels.issuers),
                logins: LoginMetrics(names: labels.logins, causes: labels.causes.count)))
    }

    /// One per worker, in the workers' order; each is written by its worker alone.
    package var workers: [WorkerMetrics] { shown.withLock { $0.workers } }
    /// Written by the thread that keeps the issuers' keys.
    package var issuers: IssuerMetrics { shown.withLock { $0.issuers } }
    /// Written by the thread that answers logins.
    package var logins: LoginMetrics { shown.withLock { $0.logins } }

    /// Makes room for other labels, once it is certain that they will be used; any thread.
    ///
    /// A route keeps its slot while a route of that name is in `labels` or in those of a configuration that is `alive`,
    /// because requests under way are still counted by it. Other slots are given to new names, and their numbers begin
    /// at zero. Until a worker says `workerUses` the page goes on with what that worker counts by now. `issuers` and
    /// `logins` are those of the new labels at once, and share the numbers of every name that stays with the ones
    /// before. Causes and algorithms are properties of the program and stay as they were given first.
    package func extend(_ labels: MetricsLabels, keeping alive: [MetricsLabels] = []) -> MetricsSlots {
        shown.withLock { shown in
            let routes = shown.slots.extend(labels.routes, keeping: Set(alive.flatMap(\.routes)))
            shown.issuers = IssuerMetrics(names: labels.issuers, continuing: shown.issuers)
            shown.logins = LoginMetrics(
                names: labels.logins, causes: shown.labels.causes.count, continuing: shown.logins)
            shown.labels.routes = labels.routes
            shown.labels.issuers = labels.issuers
            shown.labels.logins = labels.logins
            shown.labels.upstreams = labels.upstreams
            let next = shown.workers.map { worker in
                WorkerMetrics(labels: shown.labels, tenures: shown.slots.tenures, continuing: worker.upstreams)
            }
            return MetricsSlots(routes: routes, workers: next)
        }
    }

    /// From now on this worker counts by `metrics`, which have taken over what it counted before.
    ///
    /// On the worker's own thread, before it counts anything more.
    package func workerUses(_ metrics: WorkerMetrics, worker index: Int) {
        shown.withLock { $0.workers[index] = metrics }
    }

    /// Shows the dropped lines of this log on the page; one of the same name counts on from the one before.
    package func attach(log name: String, _ sink: LogSink) {
        logs.withLock { logs in
            guard let index = logs.firstIndex(where: { $0.name == name }) else {
                return logs.append(ShownLog(name: name, sink: sink, before: 0))
            }
            guard logs[index].sink !== sink else { return }
            logs[index] = ShownLog(name: name, sink: sink, before: logs[index].droppedLines)
        }
    }

    /// Shows the numbers of the replay set on the page.
    package func attach(replay readings: @escaping @Sendable () -> ReplayReadings) {
        replay.withLock { $0 = readings }
    }

    /// Shows what is alive, and until when what is served may be: `readings` are asked for at each scrape, on its thread.
    package func attach(serving readings: @escaping @Sendable () -> ServingReadings) {
        serving.withLock { $0 = readings }
    }

    /// Shows what became of spans: `readings` are asked for at each scrape, on its thread.
    package func attach(traces readings: @escaping @Sendable () -> TraceReadings) {
        traces.withLock { $0 = readings }
    }

    /// Shows how the store is: `readings` are asked for at each scrape, on its thread; nil where there is none.
    package func attach(store readings: @escaping @Sendable () -> StoreReadings?) {
        store.withLock { $0 = readings }
    }

    /// Notes a jump of the wall clock; any thread.
    package func setClockStep(seconds: Int64) {
        clockStep.store(seconds, ordering: .relaxed)
    }

    /// Counts a reload of the configuration; any thread.
    package func countReload(applied: Bool, isOfFile: Bool = true, at time: Timestamp = .now()) {
        reloads.withLock { $0.count(applied: applied, isOfFile: isOfFile, at: time) }
    }

    /// How reloads went so far; any thread.
    var reloadReadings: ReloadReadings { reloads.withLock { $0 } }
    var shownNow: ShownMetrics { shown.withLock { $0 } }
    var logsNow: [ShownLog] { logs.withLock { $0 } }
    var servingNow: ServingReadings { serving.withLock { $0 }?() ?? ServingReadings() }
    var replayNow: ReplayReadings? { replay.withLock { $0 }?() }

    /// The page: every family of `MetricName`, summed over the workers.
    ///
    /// For the admin listener: allocates, and reads procfs unless the readings are given.
    package func page(
        _ format: ExpositionFormat = .prometheusText, now: Timestamp = .now(), process: ProcessReadings = .now()
    ) -> [UInt8] {
        MetricsPage(
            shown: shownNow, version: version, startTime: startTime,
            clockStep: clockStep.load(ordering: .relaxed), reloads: reloadReadings,
            replay: replayNow, serving: servingNow, traces: traces.withLock { $0 }?() ?? TraceReadings(), logs: logsNow,
            store: store.withLock { $0 }?(), storeMetrics: storeMetrics, now: now, process: process
        ).written(format)
    }
}
