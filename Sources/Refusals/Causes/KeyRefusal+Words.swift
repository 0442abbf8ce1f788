import Crypto
package import JOSE

extension KeyRefusal {
    /// What the operator's log says of a key in a proof that is not used; nothing of the key is in it.
    package var found: String {
        switch self {
        case .notObject: "a key that is no JSON object"
        case .keyTypeUnknown: "another kty than RSA, EC and OKP"
        case .curveUnknown: "another crv than P-256, P-384, P-521 and Ed25519"
        case .symmetric: "a symmetric key"
        case .privateMaterial: "private members"
        case .memberInvalid(let name): "\(name) absent, or of another type or spelling"
        case .notForSignatures: "a key that is not for signatures"
        case .notForVerifying: "key_ops without verify"
        case .notForEncrypting: "a key that is not for encryption"
        case .algorithmUnknown: "alg that is none of signatures"
        case .algorithmMismatch: "alg that another kind of key is for"
        case .keyIDInvalid: "kid of another type, or a longer one"
        case .material(let cause): cause.found
        }
    }
}

extension CryptoRefusal {
    /// What is wrong with the numbers of a key.
    fileprivate var found: String {
        switch self {
        case .modulusLength(let bits): "an RSA modulus of \(bits) bits, not of 2048 to 8192"
        case .modulusEven: "an even RSA modulus"
        case .exponentNotAllowed: "an RSA exponent that is even, below 65537 or above 2^33"
        case .numberNotMinimal: "a number with zeros in front, or without bytes"
        case .coordinateLength: "a coordinate of another length than its curve's"
        case .pointNotOnCurve: "a point that is not on its curve"
        case .publicKeyLength: "a public key that has not 32 bytes"
        case .pointNotCanonical: "a point in a second spelling"
        case .pointOfSmallOrder: "a point of small order, which anybody can sign for"
        case .secretTooShort: "a secret that is too short"
        case .notForSignatures: "a key that signs nothing"
        case .keyLength: "a key of another length than its algorithm's"
        case .nonceLength: "a nonce of another length than its algorithm's"
        case .notBuilt, .libraryFailed: "numbers that are no key to the library"
        }
    }
}
