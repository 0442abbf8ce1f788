import Crypto
import HTTPMessage
import Issuers
import Login
import StoreClient
import Telemetry

/// What a worker is given by whoever runs it: the gateway, or a dry run that has no gateway.
struct WorkerContext {
    var generation: UInt32 = 1
    /// The worker's place among all.
    var worker = 0
    let metrics: WorkerMetrics
    let log: UnsafeMutablePointer<LogWriter>?
    var spans: UnsafeMutablePointer<SpanWriter>?
    let requestKeys: @Sendable (_ issuer: Int, _ client: AskingClient, _ trace: TraceParent?) -> Void
    let ask: AskServer
    let onDrained: @Sendable () -> Void
    var onEarlyClientsGone: @Sendable () -> Void = {}
    var onRetired: @Sendable (_ generation: UInt32) -> Void = { _ in }
    var onBurstOver: @Sendable () -> Void = {}
    var askLogin: @Sendable (_ request: LoginRequest, _ ticket: UInt64) -> Void = { _, _ in }
    var askSession: AskSession = { _, _, _, _ in }
    /// How the store is told of; nil where nobody is to ask one.
    var storeReports: StoreReports?
    /// Asks the store for whoever waits for it beside the workers, over this worker's links.
    var storeCaller: StoreCaller?
}
