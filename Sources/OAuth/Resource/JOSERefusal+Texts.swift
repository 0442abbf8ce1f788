import JOSE
import JSON

extension JOSERefusal {
    /// The requirement row of the check that failed.
    var checkID: String {
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
    var expectation: String {
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
}
