package import JOSE
import JSON

extension JOSERefusal {
    /// The requirement row of the check that failed.
    package var check: String {
        switch self {
        case .tooLarge, .headerTooLarge: "JOSE-26"
        case .notCompact: "JOSE-01"
        case .encrypted: "JOSE-22"
        case .notBase64URL: "JOSE-02"
        case .headerNotJSON(.duplicateMember), .claimsNotJSON(.duplicateMember): "JOSE-04"
        case .headerNotJSON, .headerNotObject, .claimsNotJSON, .claimsNotObject: "JOSE-03"
        case .algorithmInvalid, .algorithmNotAllowed: "JOSE-05"
        case .typeInvalid: "JOSE-19"
        case .keyIDInvalid: "JOSE-14"
        case .criticalInvalid, .criticalNotUnderstood: "JOSE-12"
        case .unknownKey: "JOSE-17"
        case .tooManyKeys: "JOSE-15"
        case .signatureInvalid: "RS-14"
        case .keySetNotJSON, .keySetWithoutKeys, .keySetTooLarge: "JOSE-18"
        }
    }

    /// What was wanted, for the operator.
    package var expectation: String {
        switch self {
        case .tooLarge: "a token within the size limit"
        case .headerTooLarge: "a header of at most 4096 bytes"
        case .notCompact: "three segments"
        case .encrypted: "a signed token"
        case .notBase64URL: "base64url without padding"
        case .headerNotJSON, .headerNotObject: "a header that is a strict JSON object"
        case .claimsNotJSON, .claimsNotObject: "claims that are a strict JSON object"
        case .algorithmInvalid: "alg as a string"
        case .algorithmNotAllowed: "an allowed alg"
        case .typeInvalid: "typ as a string"
        case .keyIDInvalid: "kid as a string of at most 256 bytes"
        case .criticalInvalid, .criticalNotUnderstood: "no crit: no extension is implemented"
        case .unknownKey: "a known key"
        case .tooManyKeys: "a kid"
        case .signatureInvalid: "a valid signature"
        case .keySetNotJSON, .keySetWithoutKeys: "a JSON object with an array keys"
        case .keySetTooLarge: "at most 100 keys"
        }
    }

    /// What the operator's log says was there instead; nothing of the token is in it.
    package var found: String {
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
