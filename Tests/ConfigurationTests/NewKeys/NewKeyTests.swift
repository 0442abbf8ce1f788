import Crypto
import Glibc
import JOSE
import JSON
import TestTraits
import Testing

@testable import Configuration

@Suite struct `a new key` {
    @Test(.holds("MD-31"), arguments: ["ES256", "ES384", "ES512", "EdDSA"])
    func `signs by the algorithm asked for, under its thumbprint`(name: String) throws {
        for purpose in [NewKey.Purpose.client, .assertion] {
            let made = try NewKey.make(purpose, algorithm: name)
            let key = try SigningJWK(pem: Secret(made.reveal()))
            #expect(key.algorithm.name == name)
            let published = try #require(made.publicKey)
            let value = try JSONValue.parse(owned: Array(published.utf8))
            #expect(value["kid"]?.string == key.keyID)
            #expect(value["alg"]?.string == name)
            #expect(value["use"]?.string == "sig")
            #expect(try JWK(value).material == key.published.material)
        }
    }

    @Test(.holds("MD-30"), .refuses("MD-30"))
    func `is RSA of 3072 bits for the algorithms of RSA, and shows no private number`() throws {
        let made = try NewKey.make(.client, algorithm: "PS256")
        let key = try SigningJWK(pem: Secret(made.reveal()))
        guard case .rsa(let modulus, _) = key.published.material else {
            Issue.record("another kind")
            return
        }
        #expect(modulus.count == 384)
        let published = try JSONValue.parse(owned: Array(try #require(made.publicKey).utf8))
        #expect(Set(published.members.map(\.name)) == ["kty", "kid", "use", "alg", "n", "e"])
    }

    @Test(.holds("SC-04"), .refuses("SC-04")) func `seals with 32 bytes that are never the same`() throws {
        let one = try NewKey.make(.session).reveal()
        let other = try NewKey.make(.session).reveal()
        #expect(one != other)
        #expect(one.count == 44 && one.last == 0x0A)
        #expect(SessionKeyText.decode(one)?.count == 32)
        #expect(try NewKey.make(.session).publicKey == nil)
    }

    @Test(.holds("SH-08")) func `of the shared store is one that the store's settings take`() throws {
        let made = try NewKey.make(.store)
        #expect(SessionKeyText.decode(made.reveal())?.count == 32)
        #expect(made.publicKey == nil)
    }

    @Test func `is not made by an algorithm that there is not`() {
        #expect(throws: NewKey.Refusal.unknownAlgorithm("HS256")) { try NewKey.make(.client, algorithm: "HS256") }
        #expect(throws: NewKey.Refusal.unknownAlgorithm("none")) { try NewKey.make(.assertion, algorithm: "none") }
        for purpose in [NewKey.Purpose.session, .store] {
            #expect(throws: NewKey.Refusal.algorithmOfSealing) { try NewKey.make(purpose, algorithm: "ES256") }
        }
        #expect(
            NewKey.Refusal.unknownAlgorithm("ES265").words == "no algorithm of keys: \"ES265\"; did you mean ES256?")
        #expect(NewKey.Refusal.unknownAlgorithm("\u{1b}[2J").words.utf8.allSatisfy { $0 >= 0x20 })
    }

    @Test(.holds("CA-17")) func `is in a file that its owner alone can read`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("client.key")
        let made = try NewKey.make(.client)
        try NewKeyFile.create(path, made)
        let file = try ConfigurationSources.system.file(path, 1 << 16).get()
        #expect(file.bytes == made.reveal())
        #expect(file.permissions == 0o600)
    }

    @Test(.refuses("CA-17")) func `never replaces a file, and follows no link`() throws {
        let folder = try TemporaryFolder()
        try folder.write("in use", to: "client.key")
        let made = try NewKey.make(.session)
        #expect(throws: NewKeyFile.Refusal.exists) { try NewKeyFile.create("\(folder.path)/client.key", made) }
        #expect(symlink("\(folder.path)/elsewhere", folder.file("link")) == 0)
        #expect(throws: NewKeyFile.Refusal.exists) { try NewKeyFile.create("\(folder.path)/link", made) }
        #expect(throws: NewKeyFile.Refusal.system(ENOENT)) { try NewKeyFile.create("\(folder.path)/no/where", made) }
        let file = try ConfigurationSources.system.file("\(folder.path)/client.key", 1 << 16).get()
        #expect(file.bytes == Array("in use".utf8))
    }
}
