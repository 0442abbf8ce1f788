import JOSE

/// Whether a client's tokens are bound to a key of its own (RFC 9449 §5).
public enum DPoPDemand: Sendable, Hashable {
    case off
    /// Where the server says that it can.
    case optional
    case required

    /// The algorithm of the proofs made here.
    static let algorithm = SignatureAlgorithm.es256

    /// Whether proofs are sent to `server`: where it does not say what it takes, only to please an operator who insists.
    public func isMet(by server: ServerMetadata) -> Bool {
        switch self {
        case .off: false
        case .required: true
        case .optional: server.dpopSigningAlgorithms.map { ServerSuitability.contains($0, Self.algorithm) } ?? false
        }
    }
}
