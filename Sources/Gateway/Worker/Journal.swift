import Rates
import Telemetry

/// What one worker tells: the access log, the operator's log, the audit log, metrics, and decisions to be asked about.
struct Journal {
    let operatorLog: OperatorLog
    /// Nil unless the operator wants an audit log.
    let audit: Auditor?
    let metrics: WorkerMetrics
    /// The last decisions of all workers; nil unless the operator wants them.
    let decisions: DecisionBuffer?
    let log: UnsafeMutablePointer<LogWriter>?
    /// Where spans go, should there be any.
    let spans: UnsafeMutablePointer<SpanWriter>?
    /// What was told so far.
    var told = Told()

    /// What goes on, whichever configuration is served.
    struct Told {
        /// What is said of clients and upstreams, and how often.
        var lines = LineRateLimits()
        var identifiers = RequestIDs()
        /// Errors that are exported although they are not sampled.
        var errors = TokenBucket()
    }

    /// Tells by this configuration; what was said lately, and by which numbers, is `old`'s.
    init(_ resources: SharedResources, _ context: WorkerContext, continuing old: Journal? = nil) {
        operatorLog = resources.operatorLog
        audit = resources.audit
        metrics = context.metrics
        decisions = resources.decisions
        log = context.log
        spans = context.spans
        guard let old else { return }
        context.metrics.takeOver(from: old.metrics)
        told = old.told
    }
}
