import Crypto

/// A digest whose place in a small table is its first bytes', so that tests choose who collides.
func digest(slot: UInt16, _ number: UInt8) -> SHA256Digest {
    var bytes = [UInt8](repeating: number, count: 32)
    bytes[0] = UInt8(truncatingIfNeeded: slot)
    bytes[1] = UInt8(truncatingIfNeeded: slot >> 8)
    guard let digest = SHA256Digest(bytes.span) else { preconditionFailure("32 bytes are a digest") }
    return digest
}

/// A digest of its own for each number.
func digest(_ number: Int) -> SHA256Digest {
    let text = Array("token \(number)".utf8)
    return SHA256.hash(text.span)
}
