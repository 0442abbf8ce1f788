public import JOSE

/// What a DPoP proof must look like before its key counts as shown (RFC 9449 §4.3).
public struct DPoPRules: Sendable, Equatable {
    /// Algorithms a proof may be signed by (DPOP-03); the order is that of `algs` in the challenge.
    public var algorithms: [SignatureAlgorithm]
    /// Seconds that `iat` may lie in the past (DPOP-10).
    public var pastSeconds: Int
    /// Seconds that `iat` may lie in the future, for a client whose clock is ahead (DPOP-10).
    public var futureSeconds: Int
    /// Largest proof read, in bytes, before any decoding.
    public var maximumBytes: Int
    /// Largest `jti`, in bytes (DPOP-16).
    public var maximumIDBytes: Int

    /// The defaults, unless said otherwise.
    public init(
        algorithms: [SignatureAlgorithm] = [.es256, .ps256, .edDSA], pastSeconds: Int = 60, futureSeconds: Int = 10,
        maximumBytes: Int = 8192, maximumIDBytes: Int = 256
    ) {
        self.algorithms = algorithms
        self.pastSeconds = pastSeconds
        self.futureSeconds = futureSeconds
        self.maximumBytes = maximumBytes
        self.maximumIDBytes = maximumIDBytes
    }
}
