import Access
import Configuration
import Crypto
import Gateway
import Issuers
import JOSE
import OAuth
import TestTraits
import Testing

@Suite struct `a client` {
    @Test(.holds("CA-01")) func `has one method with what it needs`() throws {
        let secret = String(repeating: "x", count: 40)
        guard
            case .secretBasic(let basic) = try client("method: client_secret_basic, secret: { file: other.secret }")
                .method,
            case .secretPost(let post) = try client("method: client_secret_post, secret: { file: other.secret }").method,
            case .secretJWT(.hs256, let shared) = try client(
                "method: client_secret_jwt, secret: { file: other.secret }"
            )
            .method
        else {
            Issue.record("another method")
            return
        }
        #expect(
            [basic, post, shared].map { String(decoding: $0.reveal(), as: UTF8.self) } == [secret, secret, secret])
        #expect(try client("method: client_secret_basic, secret: { file: other.secret }").clientID == "shop-api")
    }

    @Test(.holds("CA-05")) func `signs with the algorithm that fits its key, under the name it was registered by`()
        throws
    {
        guard case .privateKeyJWT(let plain) = try client("method: private_key_jwt, key: { file: signing.key }").method,
            case .privateKeyJWT(let said) = try client(
                "method: private_key_jwt, key: { file: edwards.key }, algorithm: EdDSA, key_id: shop-2026"
            ).method
        else {
            Issue.record("another method")
            return
        }
        #expect(plain.algorithm == .es256)
        #expect(plain.keyID.utf8.count == 43)
        #expect(said.algorithm == .edDSA)
        #expect(said.keyID == "shop-2026")
    }

    @Test(.holds("CA-12")) func `shows a certificate from files`() throws {
        guard
            case .tls("tls.crt", "tls.key") = try client(
                "method: tls_client_auth, certificate: tls.crt, key: { file: tls.key }"
            ).method,
            case .selfSignedTLS("tls.crt", "tls.key") = try client(
                "method: self_signed_tls_client_auth, certificate: tls.crt, key: { file: tls.key }"
            ).method
        else {
            Issue.record("another method")
            return
        }
    }

    @Test(.holds("CA-06", "CA-08"))
    func `addresses assertions to the issuer, of the type JWT, unless the file says otherwise`()
        throws
    {
        let silent = try client("method: private_key_jwt, key: { file: signing.key }")
        #expect(silent.assertionAudience == .issuer)
        #expect(silent.assertionType == .jwt)
        let said = try client(
            "method: private_key_jwt, key: { file: signing.key }, audience: token_endpoint, type: client-authentication+jwt"
        )
        #expect(said.assertionAudience == .tokenEndpoint)
        #expect(said.assertionType == .clientAuthentication)
        let other = try client("method: client_secret_jwt, secret: { file: other.secret }, audience: endpoint")
        #expect(other.assertionAudience == .endpoint)
    }

    @Test(.holds("CA-04")) func `uses longer codes when asked`() throws {
        let sources = ConfigurationSources.scripted(environment: ["SECRET": String(repeating: "s", count: 64)])
        for (name, algorithm) in [("HS384", MACAlgorithm.hs384), ("HS512", .hs512)] {
            let text = Sample.client("method: client_secret_jwt, secret: { env: SECRET }, algorithm: \(name)")
            guard case .secretJWT(algorithm, _) = try settings(of: text, from: sources).clients[0].credentials.method
            else {
                Issue.record("another algorithm than \(name)")
                continue
            }
        }
    }

    private func client(_ authentication: String) throws -> ClientCredentials {
        let clients = try settings(of: Sample.client(authentication)).clients
        #expect(clients.map(\.name) == ["shop"])
        #expect(clients.map(\.issuer) == [0])
        return try #require(clients.first).credentials
    }
}

@Suite struct `keys that have one purpose` {
    @Test(.holds("CA-10")) func `other keys are fine`() throws {
        let text =
            Sample.client("method: private_key_jwt, key: { file: signing.key }")
            + "assertion_keys: { files: [second.key, edwards.key] }\n"
        #expect(try settings(of: text).assertionKeys.keys.count == 2)
    }
}
