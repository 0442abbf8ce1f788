import Crypto
import JOSE
import JSON
import TestSupport
import TestTraits
import Testing

@Suite struct `key sets` {
    @Test(.holds("JOSE-18", "JOSE-32")) func `every kind of key is read`() throws {
        let keys: [SigningKey] = [.rsa, .p256, .p384, .p521, .ed25519]
        let set = try readKeySet(SigningKey.keySet(keys))
        #expect(set.ignored.isEmpty)
        #expect(set.keys.map(\.keyID) == keys.map(\.keyID))
        #expect(set.keys.map(\.keyType) == [.rsa, .ellipticCurve, .ellipticCurve, .ellipticCurve, .octetKeyPair])
        #expect(VerificationKeys(set).count == 5)
    }

    @Test(
        .refuses("JOSE-18"),
        arguments: [
            "[]", "1", "{}", #"{"keys":{}}"#, #"{"keys":null}"#, #"{"keys":"x"}"#, #"{"Keys":[]}"#, #"{"key":[]}"#,
        ])
    func `a document without an array of keys is refused`(text: String) {
        #expect(throws: JOSERefusal.keySetWithoutKeys) { try readKeySet(text) }
    }

    @Test(.refuses("JOSE-18")) func `a document that is not strict JSON is refused`() {
        #expect(throws: JOSERefusal.keySetNotJSON(.duplicateMember)) { try readKeySet(#"{"keys":[],"keys":[]}"#) }
        #expect(throws: JOSERefusal.keySetNotJSON(.trailingBytes)) { try readKeySet(#"{"keys":[]}<html>"#) }
        #expect(throws: JOSERefusal.keySetNotJSON(.unexpectedByte)) { try readKeySet("<html>") }
    }

    @Test(.refuses("JOSE-18")) func `a document of 300 KiB is refused`() {
        let text = #"{"keys":[],"x":"\#(String(repeating: "x", count: 300 * 1024))"}"#
        #expect(throws: JOSERefusal.keySetNotJSON(.tooLong)) { try readKeySet(text) }
    }

    @Test(.holds("JOSE-18"), .refuses("JOSE-18")) func `a set has at most 100 keys`() throws {
        let keys = { (count: Int) in
            SigningKey.keySet(jwks: Array(repeating: SigningKey.p256.publicJWK(), count: count))
        }
        #expect(try readKeySet(keys(100)).keys.count == 100)
        #expect(throws: JOSERefusal.keySetTooLarge) { try readKeySet(keys(101)) }
    }

    @Test(.holds("JOSE-18")) func `an empty set is a set`() throws {
        let set = try readKeySet(#"{"keys":[]}"#)
        #expect(set.keys.isEmpty && set.ignored.isEmpty)
    }

    @Test(.holds("JOSE-18")) func `members nobody knows are ignored`() throws {
        let jwk = SigningKey.p256.publicJWK(["x5c": #"["MIIB"]"#, "nbf": "1", "iss": "{}"])
        #expect(try readKeySet(#"{"keys":[\#(jwk)],"extra":[1,{}]}"#).keys.count == 1)
    }

    @Test(
        .holds("JOSE-18"), .refuses("JOSE-18"),
        arguments: [
            ("1", KeyRefusal.notObject), ("[]", .notObject), ("{}", .keyTypeUnknown), (#"{"kty":1}"#, .keyTypeUnknown),
            (#"{"kty":"rsa"}"#, .keyTypeUnknown), (#"{"kty":"AKP"}"#, .keyTypeUnknown), (#"{"kty":"oct"}"#, .symmetric),
            (#"{"kty":"oct","k":"AAAA"}"#, .privateMaterial), (#"{"kty":"RSA","e":"AQAB"}"#, .memberInvalid("n")),
            (#"{"kty":"RSA","n":1,"e":"AQAB"}"#, .memberInvalid("n")),
            (#"{"kty":"RSA","n":"AA==","e":"AQAB"}"#, .memberInvalid("n")),
            (#"{"kty":"EC","x":"AAAA","y":"AAAA"}"#, .curveUnknown),
            (#"{"kty":"EC","crv":"secp256k1","x":"AAAA","y":"AAAA"}"#, .curveUnknown),
            (#"{"kty":"EC","crv":"P-256","x":"AAAA"}"#, .memberInvalid("y")),
            (#"{"kty":"EC","crv":"P-256","x":"AAAA","y":"AAAA"}"#, .material(.coordinateLength)),
            (#"{"kty":"OKP","crv":"X25519","x":"AAAA"}"#, .curveUnknown),
            (#"{"kty":"OKP","crv":"Ed25519","x":"AAAA"}"#, .material(.publicKeyLength)),
        ] as [(String, KeyRefusal)])
    func `a bad key is left out and the others stay`(jwk: String, reason: KeyRefusal) throws {
        let set = try readKeySet(SigningKey.keySet(jwks: [jwk, SigningKey.p256.publicJWK()]))
        #expect(set.keys.map(\.keyID) == ["p256-1"])
        #expect(set.ignored.map(\.reason) == [reason])
        #expect(set.ignored.map(\.position) == [0])
    }

    @Test(.refuses("JOSE-18"), arguments: ["d", "k", "p", "q", "dp", "dq", "qi", "oth"])
    func `a private member raises an alarm and the key is left out`(member: String) throws {
        let jwk = SigningKey.p256.publicJWK([member: #""AAAA""#])
        let set = try readKeySet(SigningKey.keySet(jwks: [SigningKey.rsa.publicJWK(), jwk]))
        #expect(set.keys.map(\.keyID) == ["rsa-1"])
        #expect(set.ignored.map(\.reason) == [.privateMaterial])
        #expect(set.ignored.map(\.keyID) == ["p256-1"])
        #expect(set.ignored.first?.reason.isAlarm == true)
    }

    @Test(.refuses("JOSE-09")) func `an Ed448 key is left out`() throws {
        let set = try readKeySet(SigningKey.keySet([SigningKey(.ed448, keyID: "x")]))
        #expect(set.ignored.map(\.reason) == [.curveUnknown])
        #expect(!KeyRefusal.curveUnknown.isAlarm)
    }

    @Test(.refuses("JOSE-07")) func `a key of 1024 bits is left out`() throws {
        let set = try readKeySet(SigningKey.keySet([.weakRSA, .rsa]))
        #expect(set.keys.map(\.keyID) == ["rsa-1"])
        #expect(set.ignored.map(\.reason) == [.material(.modulusLength(bits: 1024))])
    }

    @Test(
        .refuses("JOSE-07", "JOSE-32"),
        arguments: [
            ("AQ", CryptoRefusal.exponentNotAllowed), ("Aw", .exponentNotAllowed), ("AAEAAQ", .numberNotMinimal),
        ])
    func `an exponent of 1 or 3, or one with zeros in front, is left out`(
        exponent: String, reason: CryptoRefusal
    ) throws {
        let set = try readKeySet(SigningKey.keySet(jwks: [SigningKey.rsa.publicJWK(["e": "\"\(exponent)\""])]))
        #expect(set.ignored.map(\.reason) == [.material(reason)])
    }

    @Test(.refuses("JOSE-32")) func `a modulus with zeros in front is left out`() throws {
        let value = try #require(try readJSON(SigningKey.rsa.publicJWK())["n"]?.string)
        // 256 bytes with a zero in front are 257; the encoding shifts, so it is made again from its bytes.
        let jwk = SigningKey.rsa.publicJWK(["n": "\"\(zeroInFront(value))\""])
        let set = try readKeySet(SigningKey.keySet(jwks: [jwk]))
        #expect(set.ignored.map(\.reason) == [.material(.numberNotMinimal)])
    }

    @Test(.refuses("JOSE-08")) func `a point off its curve is left out`() throws {
        let other = try #require(SigningKey.otherP256.publicMembers.first { $0.name == "y" })
        let jwk = SigningKey.p256.publicJWK(["y": "\"\(other.value)\""])
        let set = try readKeySet(SigningKey.keySet(jwks: [jwk]))
        #expect(set.ignored.map(\.reason) == [.material(.pointNotOnCurve)])
    }

    @Test(
        .refuses("JOSE-06"),
        arguments: [
            (["use": #""enc""#], KeyRefusal.notForSignatures), (["use": "1"], .notForSignatures),
            (["use": #""SIG""#], .notForSignatures), (["key_ops": #"["sign"]"#], .notForVerifying),
            (["key_ops": "[]"], .notForVerifying), (["key_ops": #""verify""#], .memberInvalid("key_ops")),
            (["key_ops": #"["verify",1]"#], .memberInvalid("key_ops")),
            (["key_ops": #"["verify","verify"]"#], .memberInvalid("key_ops")),
            (["alg": #""RS256""#], .algorithmMismatch), (["alg": #""ES384""#], .algorithmMismatch),
            (["alg": #""none""#], .algorithmUnknown), (["alg": #""HS256""#], .algorithmUnknown),
            (["alg": "1"], .algorithmUnknown),
            (["alg": #""ECDH-ES""#], .algorithmUnknown), (["kid": "1"], .keyIDInvalid),
        ] as [([String: String], KeyRefusal)])
    func `a key that is for something else is left out`(members: [String: String], reason: KeyRefusal) throws {
        let set = try readKeySet(SigningKey.keySet(jwks: [SigningKey.p256.publicJWK(members)]))
        #expect(set.keys.isEmpty)
        #expect(set.ignored.map(\.reason) == [reason])
    }

    @Test(
        .holds("JOSE-06"),
        arguments: [
            ["use": #""sig""#], ["key_ops": #"["verify"]"#], ["key_ops": #"["sign","verify"]"#], ["alg": #""ES256""#],
        ])
    func `a key that is for signatures is used`(members: [String: String]) throws {
        #expect(try readKeySet(SigningKey.keySet(jwks: [SigningKey.p256.publicJWK(members)])).keys.count == 1)
    }

    @Test(.holds("JOSE-14"), .refuses("JOSE-14")) func `a kid of more than 256 bytes is left out`() throws {
        let keyID = { (count: Int) in "\"\(String(repeating: "k", count: count))\"" }
        #expect(
            try readKeySet(SigningKey.keySet(jwks: [SigningKey.p256.publicJWK(["kid": keyID(256)])])).keys.count == 1)
        let set = try readKeySet(SigningKey.keySet(jwks: [SigningKey.p256.publicJWK(["kid": keyID(257)])]))
        #expect(set.ignored.map(\.reason) == [.keyIDInvalid])
    }

    @Test(.holds("JOSE-31"), .refuses("JOSE-31"), arguments: [SigningKey.rsa, .p256, .p521, .ed25519])
    func `members that are not required do not change the thumbprint`(key: SigningKey) throws {
        let bare = try JWK(readJSON(key.publicJWK()))
        let dressed = try JWK(
            readJSON(
                key.publicJWK([
                    "kid": #""other""#, "alg": "\"\(key.algorithm.name)\"", "use": #""sig""#, "x5t": #""a""#,
                ])))
        #expect(bare.thumbprint == dressed.thumbprint)
        #expect(bare != dressed)
        let other = try JWK(readJSON(SigningKey.otherP256.publicJWK()))
        #expect(bare.thumbprint != other.thumbprint)
    }
}

private func zeroInFront(_ text: String) -> String {
    // "AA" is the octet 0 and four bits; with 255 more octets the rest cannot stay in place, so octets are shifted.
    var bits = text.utf8.flatMap { letter -> [Bool] in
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        let value = alphabet.firstIndex(of: letter) ?? 0
        return (0..<6).map { value & (32 >> $0) != 0 }
    }
    bits = Array(repeating: false, count: 8) + bits.prefix(bits.count / 8 * 8)
    while !bits.count.isMultiple(of: 6) { bits.append(false) }
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    return String(
        stride(from: 0, to: bits.count, by: 6).map { start in
            alphabet[bits[start..<start + 6].reduce(0) { $0 * 2 + ($1 ? 1 : 0) }]
        })
}
