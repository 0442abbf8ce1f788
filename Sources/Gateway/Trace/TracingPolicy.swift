import Rates
import Telemetry

/// What the operator says of traces, ready to be asked by a worker.
struct TracingPolicy {
    /// Errors that one worker exports beside what is sampled: as many at once, and so many a second.
    ///
    /// Whoever has requests refused decides how many there are.
    private static let errorRate = TokenRate(perSecond: 10, burst: 100)

    private let ratio: TraceRatio
    private let keepsErrors: Bool
    /// Whether authorization servers are told of the spans that they are asked for.
    let tracesOutbound: Bool
    /// Whose traces are continued.
    let trustedPeers: NetworkList

    init?(_ settings: TracingSettings?) {
        guard let settings, let peers = NetworkList(settings.trustedPeers) else { return nil }
        ratio = settings.ratio
        keepsErrors = settings.errors == .all
        tracesOutbound = settings.tracesOutbound
        trustedPeers = peers
    }

    /// Whether a trace that begins here is sampled; `own` is the route's ratio, where it has one.
    func samples(_ trace: UInt128, _ own: TraceRatio?) -> Bool { (own ?? ratio).samples(trace) }

    /// Whether an error that is not sampled is exported all the same.
    func takesError(_ bucket: inout TokenBucket, at now: UInt64) -> Bool {
        keepsErrors && bucket.take(at: now, Self.errorRate)
    }
}
