/// HMAC with SHA-2 (RFC 2104), for secrets shared with exactly one peer.
public struct MAC: Sendable {
    private let hash: HashFunction
    private let key: Secret
    /// Of SHA-256, which is what is asked for on the way of requests.
    private let begun: HMACSHA256?

    /// Refuses a key shorter than the hash's output (RFC 7518 §3.2; JOSE-11): it could be guessed offline.
    public init(_ hash: HashFunction, key: Secret) throws(CryptoRefusal) {
        guard key.count >= hash.length else { throw .secretTooShort }
        self.hash = hash
        self.key = key
        begun = hash == .sha256 ? try HMACSHA256(key: key) : nil
    }

    /// The code of `message`.
    public func authenticate(_ message: Span<UInt8>) -> [UInt8] {
        if let begun { return begun.authenticate(message).bytes }
        let key = key.reveal()
        return OpenSSLMAC.authenticate(message, hash: hash, key: key.span)
    }

    /// Whether `code` is the code of `message`, compared in constant time.
    public func verify(_ code: Span<UInt8>, of message: Span<UInt8>) -> Bool {
        let expected = authenticate(message)
        return ConstantTime.equal(code, expected.span)
    }
}
