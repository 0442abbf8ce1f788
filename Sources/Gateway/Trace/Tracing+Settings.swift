package import Crypto
package import Telemetry

/// Distributed traces: which requests are recorded, and where their spans go.
///
/// Without these settings no request is looked at for its trace, and its fields pass as they came (ECO-55).
package struct TracingSettings: Sendable {
    /// Which requests are recorded beside those that are sampled.
    package enum Errors: Sendable {
        case sampledAlone
        /// Refusals and responses above 499, at a bounded rate.
        case all
    }

    /// How export requests are coded.
    package enum Coding: Sendable {
        case plain
        case gzip
    }

    /// The base of the collector's URLs; spans go to `/v1/traces` below it.
    package var endpoint: String
    /// Traces that begin here, of which this part is sampled.
    package var ratio = TraceRatio(millionths: TracingSettings.standardRatio)
    package var errors = Errors.sampledAlone
    /// Networks, as CIDRs, whose `traceparent` is continued and whose decision to sample is ours; nobody else's.
    package var trustedPeers: [String] = []
    /// Whether authorization servers get a `traceparent` in what they are asked for a request.
    ///
    /// An identity provider is another party: it would learn which of its calls belong to one request.
    package var tracesOutbound = false
    /// What the collector is told of this gateway.
    package var service = "portcullis"
    /// Beside the gateway, where a collector is by custom, bytes cost less than the work to compress them.
    package var compression = Coding.plain
    /// Fields of export requests, such as one with the collector's key.
    package var fields: [(name: String, value: Secret)] = []
    /// PEM file of certification authorities; the system's when nil.
    package var certificateAuthorityFile: String?

    /// One trace in ten, in millionths.
    package static let standardRatio = 100_000

    package init(endpoint: String) { self.endpoint = endpoint }

    /// Where export requests go.
    var url: String { (endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint) + "/v1/traces" }
}
