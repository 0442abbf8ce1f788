public import Crypto

/// A DPoP proof for this request, by the key its token is bound to; whether it was used before is still to be asked.
public struct VerifiedProof: Sendable, Equatable {
    /// The key's RFC 7638 thumbprint.
    public let thumbprint: SHA256Digest
    /// What must be seen once only: SHA-256 of the thumbprint, a zero and `jti` (DPOP-15).
    public let replayKey: SHA256Digest
    /// `iat` in whole seconds since 1970, rounded down.
    ///
    /// Without a nonce the proof is accepted until `pastSeconds` of its rules later, that second included.
    public let issuedAt: Int64
}
