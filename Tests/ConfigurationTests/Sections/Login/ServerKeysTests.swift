import Gateway
import Issuers
import JOSE
import Login
import OAuth
import TestTraits
import Testing

@testable import Configuration

@Suite struct `keys about what other servers do` {
    @Test(
        .holds("CF-08"),
        arguments: [
            "urn:example:orders", "https://api.example.com", "https://api.example.com/v1?x=y", "api://shop/orders",
            "tag:example.com,2026:orders", "urn:a:%C3%A4",
        ])
    func `a resource is any absolute URI without fragment`(text: String) {
        #expect(URLText.target.fault(text) == nil)
    }

    @Test(
        .refuses("CF-08"),
        arguments: [
            "orders", "", ":", "urn:", "1urn:x", "urn:a b", "urn:a#b", "https://", "https://a.example/#b",
            "//a.example/",
            "urn:%zz", "urn:%a", "urn:\u{E9}", "urn:\n", "https:orders",
        ])
    func `what is no absolute URI without fragment is no resource`(text: String) {
        #expect(URLText.target.fault(text) != nil)
    }

    @Test(.holds("CF-28")) func `signed responses are as ID tokens are, unless they are said to be otherwise`() throws {
        func response(_ keys: String) throws -> LoginDemands.Made {
            try settings(of: Sample.login(keys)).logins[0].response
        }
        guard case .algorithms([.es256]) = try response("id_token: { algorithm: ES256 }").signature,
            case .algorithms([.rs256, .ps256, .es256, .edDSA]) = try response("id_token: { algorithm: HS256 }")
                .signature,
            case .algorithms([.ps256, .es256]) = try response(
                "response_mode: jwt\nid_token: { algorithm: RS256 }\nresponse: { algorithm: [PS256, ES256] }"
            ).signature
        else {
            Issue.record("another signature")
            return
        }
        let encrypted = try response(
            "response_mode: jwt\nresponse: { encrypted: true }\ndecryption_keys: [{ key: { file: rsa.key } }]")
        #expect(encrypted.mustBeEncrypted)
        #expect(try !response("").mustBeEncrypted)
    }

    @Test(.holds("MD-08")) func `ports of metadata are the operator's list`() throws {
        #expect(try settings(of: Sample.issuer("allow_ports: [8444, 9443]")).issuers[0].allowPorts == [8444, 9443])
        #expect(try settings(of: Sample.issuer("leeway: 1s")).issuers[0].allowPorts.isEmpty)
    }
}
