import Crypto
import JSON
import OAuth

/// What limits know somebody by: 128 bits of a digest over the issuer and a value, made once for a token or a session.
///
/// The same for every token of a user, so that a new one gives nothing back; never the same for users of two issuers.
enum LimitKeys {
    /// Two words for each of the keys, in their order.
    static func words(_ keys: [RequestLimitSettings.Key], of token: VerifiedAccessToken) -> [UInt64] {
        var words: [UInt64] = []
        words.reserveCapacity(2 * keys.count)
        for key in keys {
            let (low, high) = digest(of: key, of: token).longPrefix
            words.append(low)
            words.append(high)
        }
        return words
    }

    /// Those of an issuer who lack the value are counted together: to leave it out gains nobody anything.
    private static func digest(of key: RequestLimitSettings.Key, of token: VerifiedAccessToken) -> SHA256Digest {
        let value: [UInt8]? =
            switch key {
            case .address, .route: nil
            case .clientID: token.clientID.map { Array($0.utf8) }
            case .subject: token.subject.map { Array($0.utf8) }
            case .claim(let path): Claims.value(at: path, in: token.claims).map(LimitKeys.bytes)
            }
        let issuer = Array(token.issuer.utf8)
        var message: [UInt8] = [value == nil ? 0 : 1]
        for shift in stride(from: 24, through: 0, by: -8) {
            message.append(UInt8(truncatingIfNeeded: issuer.count >> shift))
        }
        return SHA256.hash((message + issuer + (value ?? [])).span)
    }

    private static func bytes(of value: JSONValue) -> [UInt8] {
        var writer = JSONWriter()
        writer.value(value)
        return writer.bytes
    }
}
