import Crypto
import Issuers
import JOSE
import JSON
import OAuth
import Sessions
import TestSupport
import TestTraits
import Testing

@testable import Login

struct PublishedKeysTests {
    private func settings(_ change: (inout LoginSettings) -> Void) -> LoginSettings {
        var settings = LoginSettings(
            name: "shop", client: 0, authorization: AuthorizationRequestSettings(),
            idToken: IDTokenRules(issuer: "i", clientID: "c"), session: SessionSettings(cookieName: "__Host-x"))
        change(&settings)
        return settings
    }

    private func client(_ key: SigningJWK) throws -> ClientSettings {
        ClientSettings(
            name: "shop", issuer: 0, credentials: try ClientCredentials(clientID: "c", method: .privateKeyJWT(key)))
    }

    @Test(.holds("MD-30"))
    func `Keys of all clients are published once, for signing and for encrypting, without a private member`()
        throws
    {
        let signer = try SigningKey.p256.signer()
        let next = try SigningKey.otherP256.signer()
        let decryption = try DecryptionJWK(signerKey(.p384), algorithm: "ECDH-ES")
        let login = settings {
            $0.keys.requestObject = signer
            $0.keys.published = [next.published]
            $0.keys.decryption = [decryption]
        }
        let keys = PublishedKeys.keys(of: [login], clients: [try client(signer), try client(signer)])
        #expect(keys.count == 3)
        #expect(keys.map(\.use) == ["sig", "enc", "sig"])
        #expect(Set(keys.map(\.keyID)).count == 3)
        let text = String(decoding: JWKSetWriter.write(keys), as: UTF8.self)
        for member in ["\"d\":", "\"p\":", "\"q\":", "\"k\":", "\"dp\":"] { #expect(!text.contains(member)) }
        let document = try JSONValue.parse(Array(text.utf8).span)
        #expect(document["keys"]?.elements.allSatisfy { $0["alg"]?.string != nil && $0["kid"]?.string != nil } == true)
    }

    @Test(.holds("MD-31")) func `A key's name is its thumbprint, and of two keys with one name the first is published`()
        throws
    {
        let signer = try SigningKey.p256.signer()
        #expect(signer.keyID == signer.published.thumbprint.base64URL)
        let same = settings { $0.keys.requestObject = signer }
        #expect(PublishedKeys.keys(of: [same], clients: [try client(signer)]) == [signer.published])
        let named = try SigningKey.otherP256.signer(keyID: signer.keyID)
        let other = settings { $0.keys.requestObject = named }
        #expect(PublishedKeys.keys(of: [other], clients: [try client(signer)]) == [signer.published])
    }

    private func signerKey(_ key: SigningKey) throws -> PrivateKey { try key.signer().key }
}
