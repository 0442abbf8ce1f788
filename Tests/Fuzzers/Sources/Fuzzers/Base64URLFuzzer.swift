import Bytes

/// base64url without padding (RFC 7515 §2), which every token, key and proof is written in.
enum Base64URLFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        let written = Base64URL.encode(input.span)
        hold(Base64URL.decode(Array(written.utf8).span) == input, "what is written is read back")
        hold(written.utf8.count == (input.count * 8 + 5) / 6, "nothing is written beside the bytes")
        let padded = Base64.encode(input.span)
        hold(
            padded.utf8.count == (input.count + 2) / 3 * 4
                && padded.prefix { $0 != "=" }.elementsEqual(written.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }),
            "base64 is base64url in other letters, padded")
        guard let bytes = Base64URL.decode(input.span) else {
            hold(bits(of: input) == nil, "a text in the alphabet, whole to its last bit, is taken")
            return .refused
        }
        hold(Array(Base64URL.encode(bytes.span).utf8) == input, "bytes have one spelling")
        hold(bits(of: input) == bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }, "bits keep their order")
        return .accepted
    }

    /// The bits that a text spells, when they make whole bytes and those that are left over are few and zero.
    private static func bits(of text: [UInt8]) -> [UInt8]? {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var bits: [UInt8] = []
        for character in text {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            bits += (0..<6).map { UInt8(value >> (5 - $0) & 1) }
        }
        let rest = bits.suffix(bits.count % 8)
        guard rest.count < 6, !rest.contains(1) else { return nil }
        return Array(bits.dropLast(rest.count))
    }
}
