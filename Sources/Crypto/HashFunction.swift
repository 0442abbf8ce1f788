/// A SHA-2 function.
public enum HashFunction: UInt8, Sendable, CaseIterable, Hashable {
    case sha256, sha384, sha512

    /// Bytes of a digest.
    public var length: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// The digest of `bytes`.
    public func hash(_ bytes: Span<UInt8>) -> [UInt8] {
        let digest = OpenSSLDigest.hash(self, bytes)
        return [UInt8](copying64: digest, count: length)
    }
}

extension Array where Element == UInt8 {
    fileprivate init(copying64 digest: InlineArray<64, UInt8>, count: Int) {
        self.init()
        reserveCapacity(count)
        for index in 0..<count { append(digest[index]) }
    }
}
