import Bytes
import Crypto
import JOSE
import JSON
import TestSupport
import TestTraits
import Testing

private let claims = Array(#"{"iss":"me","n":1}"#.utf8)
private let everyAlgorithm: [(SigningKey, SignatureAlgorithm)] =
    [(.p256, .es256), (.p384, .es384), (.p521, .es512), (.ed25519, .edDSA)]
    + [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512].map { (.rsa, $0) }

private func signer(_ key: SigningKey, _ algorithm: SignatureAlgorithm? = nil, keyID: String? = nil) throws
    -> SigningJWK
{
    let pem = Array(try key.pem().utf8)
    return try SigningJWK(pem: Secret(pem), algorithm: algorithm, keyID: keyID)
}

private func published(_ keys: [JWK]) throws -> JSONValue {
    let document = JWKSetWriter.write(keys)
    return try JSONValue.parse(document.span)
}

@Suite struct `signing a token` {
    @Test(.holds("JOSE-35"), arguments: everyAlgorithm)
    func `gives one that the published key verifies, with its algorithm, name and type`(
        key: SigningKey, algorithm: SignatureAlgorithm
    ) throws {
        let signer = try signer(key, algorithm)
        let token = try CompactJWS.sign(claims.span, type: "example+jwt", by: signer)
        let jws = try CompactJWS.parse(token.span, maximumBytes: 16_384)
        #expect(jws.payload == claims)
        #expect(jws.header.parameters.members.map(\.name) == ["alg", "kid", "typ"])
        #expect(jws.header.algorithm == algorithm)
        #expect(jws.header.hasType("example+jwt"))
        let document = JWKSetWriter.write([signer.published])
        let set = try KeySet.parse(document.span)
        let verified = try VerificationKeys(set).verify(jws, algorithms: [algorithm])
        #expect(verified.keyID == jws.header.keyID)
        #expect(verified == signer.published)
    }

    @Test(.refuses("JOSE-35"), arguments: everyAlgorithm)
    func `is refused for an algorithm that another kind of key is for`(
        key: SigningKey, algorithm: SignatureAlgorithm
    ) throws {
        for other in SignatureAlgorithm.allCases where other.keyKind != algorithm.keyKind {
            #expect(throws: SigningRefusal.algorithmMismatch) { try signer(key, other) }
        }
    }

    @Test(.holds("JOSE-35")) func `fixes one algorithm for a key, PS256 for RSA unless told otherwise`() throws {
        let found = try [SigningKey.rsa, .p256, .p384, .p521, .ed25519].map { try signer($0).algorithm }
        #expect(found == [.ps256, .es256, .es384, .es512, .edDSA])
        #expect(try signer(.rsa, .rs256).published.algorithm == .rs256)
    }

    @Test(.refuses("JOSE-35")) func `is not verified by another key, nor once a byte is changed`() throws {
        let token = try CompactJWS.sign(claims.span, type: "JWT", by: signer(.p256))
        let other = try VerificationKeys(KeySet(keys: [signer(.otherP256).published]))
        let own = try VerificationKeys(KeySet(keys: [signer(.p256).published]))
        let jws = try CompactJWS.parse(token.span, maximumBytes: 16_384)
        #expect(throws: JOSERefusal.unknownKey) { try other.verify(jws, algorithms: [.es256]) }
        for index in token.indices {
            var changed = token
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: JOSERefusal.self) {
                try own.verify(CompactJWS.parse(changed.span, maximumBytes: 16_384), algorithms: [.es256])
            }
        }
    }

    @Test(.holds("JOSE-35"), .refuses("JOSE-35"))
    func `writes a name and a type that hold anything without breaking the header`() throws {
        let token = try CompactJWS.sign(claims.span, type: "a\",\"alg\":\"none", by: signer(.p256, keyID: "ü\"\n"))
        let jws = try CompactJWS.parse(token.span, maximumBytes: 16_384)
        #expect(jws.header.type == "a\",\"alg\":\"none")
        #expect(jws.header.keyID == "ü\"\n")
        #expect(jws.header.algorithm == .es256)
    }

    @Test(.holds("JOSE-11"), .refuses("JOSE-11"), arguments: MACAlgorithm.allCases)
    func `with a shared secret gives one that the secret verifies, and no other`(algorithm: MACAlgorithm) throws {
        let secret = [UInt8](repeating: 7, count: 64)
        let token = CompactJWS.authenticate(claims.span, type: "JWT", algorithm, try algorithm.key(Secret(secret)))
        let jws = try CompactJWS.parse(token.span, maximumBytes: 16_384)
        #expect(jws.header.parameters.members.map(\.name) == ["alg", "typ"])
        try jws.verify(algorithm, algorithm.key(Secret(secret)))
        let other = try algorithm.key(Secret(secret.dropLast() + [8]))
        #expect(throws: JOSERefusal.signatureInvalid) { try jws.verify(algorithm, other) }
    }

    @Test(arguments: [SignatureAlgorithm.es256, .es384, .es512, .edDSA])
    func `with a generated key needs no file`(algorithm: SignatureAlgorithm) throws {
        let one = try SigningJWK.generate(algorithm), other = try SigningJWK.generate(algorithm)
        #expect(one.algorithm == algorithm)
        #expect(one.keyID != other.keyID)
    }

    @Test func `with RSA needs a file`() {
        #expect(throws: SigningRefusal.notGenerated) { try SigningJWK.generate(.ps256) }
    }
}

@Suite struct `a published key set` {
    /// RFC 7517, RFC 7518 and RFC 8037: what only the owner of a key has.
    static let privateMembers = ["d", "k", "p", "q", "dp", "dq", "qi", "oth"]

    @Test(.holds("MD-30"), .refuses("MD-30"))
    func `holds public members only, each key named and bound to signing by its algorithm`()
        throws
    {
        let keys = try everyAlgorithm.prefix(4).map { try signer($0.0, $0.1).published } + [signer(.rsa).published]
        let list = try #require(published(keys)["keys"]?.elements)
        let kinds = list.map { $0.members.map(\.name) }
        let curve = ["kty", "kid", "use", "alg", "crv", "x", "y"]
        #expect(
            kinds == [
                curve, curve, curve, ["kty", "kid", "use", "alg", "crv", "x"], ["kty", "kid", "use", "alg", "n", "e"],
            ])
        #expect(list.map { $0["alg"]?.string } == ["ES256", "ES384", "ES512", "EdDSA", "PS256"])
        #expect(list.allSatisfy { $0["use"]?.string == "sig" })
        for key in list { #expect(Self.privateMembers.allSatisfy { key[$0] == nil }) }
    }

    @Test(.refuses("MD-30")) func `holds no number of a private half`() throws {
        let pem = Array(
            """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
            -----END PRIVATE KEY-----
            """.utf8)
        let text = String(decoding: JWKSetWriter.write([try SigningJWK(pem: Secret(pem)).published]), as: UTF8.self)
        #expect(text.contains("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"), "RFC 8037 appendix A.2")
        #expect(!text.contains("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"), "RFC 8037 appendix A.1")
    }

    @Test(.holds("MD-31")) func `names a key by its thumbprint`() throws {
        let pem = Array(
            """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
            -----END PRIVATE KEY-----
            """.utf8)
        // RFC 8037 appendix A.3.
        #expect(try SigningJWK(pem: Secret(pem)).keyID == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
    }

    @Test(.refuses("MD-31")) func `holds a name once`() throws {
        let one = try signer(.p256, keyID: "a").published, other = try signer(.otherP256, keyID: "a").published
        let list = try published([one, other, one])["keys"]?.elements ?? []
        #expect(list.count == 1)
        #expect(list.first?["x"]?.string == SigningKey.p256.publicMembers.first { $0.name == "x" }?.value)
    }

    @Test(.holds("MD-30")) func `of no keys is a set nevertheless`() {
        #expect(JWKSetWriter.write([]) == Array(#"{"keys":[]}"#.utf8))
    }
}
