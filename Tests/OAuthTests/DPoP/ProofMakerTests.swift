import Crypto
import JOSE
import JSON
import OAuth
import TestSupport
import TestTraits
import Testing

private let endpoint = "https://as.example/token"

/// A proof of `maker` for a token request, with what differs from it.
private func make(
    _ maker: ProofMaker, method: String = "POST", url: String = endpoint, nonce: String? = nil, token: String? = nil,
    seed: UInt8 = 1
) throws -> String {
    let bytes = token.map { Array($0.utf8) }
    let identifier = [UInt8](repeating: seed, count: 16)
    func proof(_ token: Span<UInt8>?) throws -> [UInt8] {
        try maker.proof(
            method: method, url: url, nonce: nonce, accessToken: token, now: now, identifier: identifier)
    }
    return String(decoding: try bytes.map { try proof($0.span) } ?? proof(nil), as: UTF8.self)
}

/// A proof as a server takes it apart.
private func parts(_ proof: String) throws -> UncheckedJWT {
    let bytes = Array(proof.utf8)
    return try UncheckedJWT.parse(bytes.span, maximumBytes: 8192)
}

@Suite struct `a proof of ours` {
    @Test(.holds("DPOP-40")) func `has the members of RFC 9449 4 2, and no token's hash at the token endpoint`() throws
    {
        let proof = try parts(try make(maker()))
        #expect(proof.header.type == "dpop+jwt")
        #expect(proof.header.algorithm == .es256)
        #expect(proof.header.keyID == nil)
        let key = try #require(proof.header.parameters["jwk"])
        #expect(Set(key.members.map(\.name)) == ["kty", "crv", "x", "y"])
        #expect(Set(proof.claims.members.map(\.name)) == ["jti", "htm", "htu", "iat"])
        #expect(proof.claims["htm"]?.string == "POST")
        #expect(proof.claims["htu"]?.string == endpoint)
        #expect(proof.claims["iat"]?.integer == now)
        #expect(proof.claims["jti"]?.string?.utf8.count == 22)
    }

    @Test(.holds("DPOP-40"), .refuses("DPOP-40")) func `is signed by the key in it, whose thumbprint is dpop_jkt`()
        throws
    {
        let maker = try maker()
        let proof = try parts(try make(maker))
        #expect(maker.thumbprint == ProofMint().thumbprint)
        #expect(
            try keys([SigningKey.p256.publicJWK(["kid": "\"a\""])]).verify(proof.jws, algorithms: [.es256]).keyID == "a"
        )
        let other = try keys([SigningKey.otherP256.publicJWK()])
        #expect(throws: JOSERefusal.signatureInvalid) { try other.verify(proof.jws, algorithms: [.es256]) }
    }

    @Test(
        .refuses("DPOP-40"),
        arguments: [
            "https://as.example/token?t=1", "https://as.example/token#f", "https://as.example/token?a#b?c",
            "https://as.example/token#?",
        ])
    func `is for an endpoint without its query`(url: String) throws {
        #expect(try parts(try make(maker(), url: url)).claims["htu"]?.string == endpoint)
    }

    @Test(.refuses("DPOP-40")) func `needs an identifier that nobody could guess`() throws {
        let maker = try maker()
        for count in 0..<12 {
            #expect(throws: SigningRefusal.libraryFailed) {
                try maker.proof(
                    method: "POST", url: endpoint, nonce: nil, accessToken: nil, now: now,
                    identifier: [UInt8](repeating: 1, count: count))
            }
        }
        let one = try parts(try make(maker, seed: 1)), other = try parts(try make(maker, seed: 2))
        #expect(one.claims["jti"]?.string != other.claims["jti"]?.string)
    }

    @Test(.refuses("DPOP-40")) func `is made with P-256 keys alone`() {
        for key in [SigningKey.rsa, .p384, .p521, .ed25519] {
            #expect(throws: SigningRefusal.algorithmMismatch) { try ProofMaker(key: key.signer().key) }
        }
    }

    @Test(.holds("DPOP-41")) func `has the server's nonce, and another identifier with it`() throws {
        let maker = try maker()
        let first = try parts(try make(maker)), again = try parts(try make(maker, nonce: "n\"\\x", seed: 2))
        #expect(first.claims["nonce"] == nil)
        #expect(again.claims["nonce"]?.string == "n\"\\x")
        #expect(first.claims["jti"]?.string != again.claims["jti"]?.string)
    }

    @Test(.holds("DPOP-43"), .refuses("DPOP-43")) func `is of the same key after a restart, and of no other`() throws {
        let scalar = Secret([UInt8](repeating: 7, count: 32)), other = Secret([UInt8](repeating: 8, count: 32))
        let first = try ProofMaker(key: .p256(scalar: scalar)), again = try ProofMaker(key: .p256(scalar: scalar))
        #expect(first.thumbprint == again.thumbprint)
        #expect(try ProofMaker(key: .p256(scalar: other)).thumbprint != first.thumbprint)
    }

    @Test(.holds("DPOP-44", "DPOP-45"), .refuses("DPOP-44", "DPOP-45"))
    func `is accepted for its request and token by whoever knows the thumbprint`()
        throws
    {
        let maker = try maker()
        var asked = Asked(method: "POST", path: "/orders?x=1", token: "Kz~8mXK1", thumbprint: maker.thumbprint)
        let proof = try make(maker, url: "https://api.example/orders?x=1", token: "Kz~8mXK1")
        #expect(asked.refusal(proof) == nil)
        let stranger = try make(self.maker(.otherP256), url: "https://api.example/orders", token: "Kz~8mXK1")
        #expect(asked.refusal(stranger) == .keyMismatch)
        asked.token = "Kz~8mXK2"
        #expect(asked.refusal(proof) == .tokenHashMismatch)
    }

    @Test(.holds("DPOP-45"), .refuses("DPOP-45"))
    func `is another one for every request, and used once by a server that remembers`() throws {
        let maker = try maker()
        let asked = Asked(method: "POST", token: "t", thumbprint: maker.thumbprint)
        let url = "https://api.example/orders"
        let first = try asked.prove(try make(maker, url: url, token: "t", seed: 1))
        let repeated = try asked.prove(try make(maker, url: url, token: "t", seed: 1))
        let again = try asked.prove(try make(maker, url: url, token: "t", seed: 2))
        #expect(first.replayKey != again.replayKey)
        // The signature differs, and it is the same proof to whoever looks for replays.
        #expect(first.replayKey == repeated.replayKey)
        // Without `ath` it is none for a resource.
        #expect(asked.refusal(try make(maker, url: url)) == .claim(.missing("ath")))
    }

    @Test(.refuses("DPOP-40")) func `is not printed with its key`() throws {
        let maker = try maker()
        var dumped = ""
        dump(maker, to: &dumped)
        #expect("\(maker)" == "[proof maker]" && String(reflecting: maker) == "[proof maker]")
        #expect(!dumped.contains("thumbprint") && !dumped.contains("key:"))
    }

    private func maker(_ key: SigningKey = .p256) throws -> ProofMaker { try ProofMaker(key: key.signer().key) }
}
