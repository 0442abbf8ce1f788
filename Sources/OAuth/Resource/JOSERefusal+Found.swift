import JOSE
import JSON

extension JOSERefusal {
    /// What the operator's log says was there instead; nothing of the token is in it.
    var found: String {
        switch self {
        case .tooLarge: "more bytes"
        case .headerTooLarge: "a longer header"
        case .notCompact: "another number of segments, or an empty one"
        case .encrypted: "five segments, as of an encrypted token"
        case .notBase64URL: "another character, padding, or bits behind the last byte"
        case .headerNotJSON(let cause): "a header with \(cause.found)"
        case .headerNotObject: "a header that is another JSON value"
        case .claimsNotJSON(let cause): "claims with \(cause.found)"
        case .claimsNotObject: "claims that are another JSON value"
        case .algorithmInvalid: "no alg, or one that is no string"
        case .typeInvalid: "typ of another type"
        case .keyIDInvalid: "kid of another type, or a longer one"
        case .criticalInvalid: "crit that is no list of parameters that are there"
        case .criticalNotUnderstood: "crit with an extension"
        case .algorithmNotAllowed: "another alg"
        case .unknownKey: "a key that is not known"
        case .tooManyKeys: "no kid, and more keys"
        case .signatureInvalid: "a signature by another key, or over something else"
        case .keySetNotJSON(let cause): "a key set with \(cause.found)"
        case .keySetWithoutKeys: "a document without a list of keys"
        case .keySetTooLarge: "more than a hundred keys"
        }
    }
}

extension JWERefusal {
    /// What the operator's log says was there instead; never what was encrypted, nor which step of decryption failed.
    var found: String {
        switch self {
        case .tooLarge: "more bytes"
        case .headerTooLarge: "a longer header"
        case .notCompact: "another number of segments"
        case .notBase64URL: "another character, padding, or bits behind the last byte"
        case .headerNotJSON(let cause): "a header with \(cause.found)"
        case .headerNotObject: "a header that is another JSON value"
        case .parameterInvalid(let name): "\(name) absent, or of another type or length"
        case .criticalInvalid: "crit that is no list of parameters that are there"
        case .criticalNotUnderstood: "crit with an extension"
        case .compressed: "zip"
        case .algorithmNotAllowed(let name): "alg \(Unverified.quote(name))"
        case .encodingNotAllowed(let name): "enc \(Unverified.quote(name))"
        case .unknownKey: "an alg and kid that no key here has"
        case .tooManyKeys: "no kid, and more keys"
        case .encryptedKeyInvalid: "an encrypted key where none belongs, or none where one does"
        case .ephemeralKeyInvalid: "epk that is no such point"
        case .notDecrypted: "something that it does not decrypt"
        case .notSigned: "something else inside"
        case .nestedTwice: "another encrypted token inside"
        case .recipientKeyInvalid: "a key that is for something else, or unsound"
        case .notEncrypted: "one that did not"
        }
    }
}

extension JSONRefusal {
    /// What the operator's log says was there instead of JSON that every reader understands alike.
    var found: String {
        switch self {
        case .tooLong: "JSON that is too long"
        case .tooDeep: "JSON that is nested too deep"
        case .tooManyMembers: "JSON with too many members"
        case .tooManyElements: "JSON with too many elements"
        case .duplicateMember: "JSON with a member twice"
        case .unexpectedByte: "a byte that JSON does not have there"
        case .unexpectedEnd: "JSON that ends too soon"
        case .trailingBytes: "bytes behind the JSON"
        case .byteOrderMark: "a byte order mark in front of the JSON"
        case .invalidUTF8: "bytes that are no UTF-8"
        case .controlCharacter: "a control character in a string"
        case .invalidEscape: "an escape that JSON does not have"
        case .loneSurrogate: "half of a surrogate pair"
        case .invalidNumber: "a number that JSON does not have"
        }
    }
}
