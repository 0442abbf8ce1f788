import Crypto
import HTTPMessage
import JOSE
import OAuth
import Refusals
import TestSupport
import TestTraits
import Testing

private let issuer = "https://id.example.com"

private func ports(_ issuer: String = issuer, allowed: [UInt16] = []) throws -> EndpointPorts {
    EndpointPorts(issuer: try IssuerIdentifier(issuer, schemes: .insecureHTTPAllowed), allowed: allowed)
}

@Suite struct `ports of endpoints` {
    @Test(
        .holds("MD-08"), .refuses("MD-08"),
        arguments: [
            ("https://id.example.com:8444/token", true), ("https://ID.example.com:8444/token", true),
            ("https://mtls.id.example.com/token", true), ("https://mtls.id.example.com:8444/token", false),
            ("https://id.example.com.evil.example:8444/", false), ("https://169.254.169.254:80/", false),
            ("http://id.example.com:8444/token", false), ("http://id.example.com/token", false),
        ])
    func `are the issuer's own by TLS, and 443 elsewhere`(url: String, isPermitted: Bool) throws {
        #expect(try ports().permit(#require(URI(url))) == isPermitted)
    }

    @Test(.holds("MD-08"), .refuses("MD-08"))
    func `are those that the operator names on any host, and the issuer's own port`() throws {
        let other = try #require(URI("https://mtls.example.net:8444/token"))
        #expect(try !ports().permit(other))
        #expect(try ports(allowed: [8444]).permit(other))
        #expect(try ports("https://id.example.com:8444").permit(other))
        #expect(try !ports("https://id.example.com:8445", allowed: [8443]).permit(other))
    }

    @Test(.holds("MD-08"), .refuses("MD-08")) func `of plain HTTP are the issuer's own port alone`() throws {
        let development = try ports("http://127.0.0.1:4593")
        #expect(development.permit(try #require(URI("http://127.0.0.1:4593/token"))))
        #expect(!development.permit(try #require(URI("http://127.0.0.1:6379/"))))
    }

    @Test(.holds("MD-08")) func `are told with the key that names others`() throws {
        #expect(
            try ports("https://id.example.com:9443", allowed: [8444]).expected
                == "port 443 or 9443 or 8444, any port of id.example.com by https, or one in allow_ports of the issuer")
    }
}

/// What a login client wants beside the forms of its requests, held against metadata before anybody signs in.
@Suite struct `a server held against a client` {
    private static let members = """
        "authorization_endpoint":"https://id.example.com/authorize","token_endpoint":"https://id.example.com/token",
        "pushed_authorization_request_endpoint":"https://id.example.com/par",
        "revocation_endpoint":"https://id.example.com/revoke","userinfo_endpoint":"https://id.example.com/userinfo",
        "code_challenge_methods_supported":["S256"]
        """

    private func metadata(_ members: String) throws -> ServerMetadata {
        let body = "{\"issuer\":\"\(issuer)\",\"jwks_uri\":\"\(issuer)/keys\",\(members)}"
        return try ServerMetadata.accept(
            FetchResponse(status: 200, contentType: "application/json", body: Array(body.utf8)),
            issuer: IssuerIdentifier(issuer))
    }

    private func problems(
        _ more: String, _ method: ClientCredentials.Method = .tls(certificateFile: "/c.pem", keyFile: "/k.pem"),
        members: String = members, _ change: (inout LoginDemands) -> Void = { _ in }
    ) throws -> [(area: SuitabilityArea, problem: SuitabilityProblem)] {
        let metadata = try metadata(members + more)
        var demands = LoginDemands(
            settings: AuthorizationRequestSettings(),
            credentials: try ClientCredentials(clientID: "shop", method: method))
        demands.ports = try ports()
        change(&demands)
        return ServerSuitability.review(of: metadata, for: demands).flatMap { area, problems in
            problems.map { (area, $0) }
        }
    }

    private func aliases(_ host: String) -> String {
        let names = ["token", "pushed_authorization_request", "revocation", "userinfo"]
        let members = names.map { "\"\($0)_endpoint\":\"https://\(host)/\($0)\"" }
        return ",\"mtls_endpoint_aliases\":{\(members.joined(separator: ","))}"
    }

    @Test(.holds("MD-08", "CA-12")) func `may have aliases at any port of the issuer's own host`() throws {
        for form in AuthorizationRequestSettings.Form.allCases where !form.isSigned {
            #expect(try problems(aliases("id.example.com:8444")) { $0.settings.form = form }.isEmpty)
        }
        #expect(try problems(aliases("mtls.example.com")).isEmpty)
    }

    @Test(.holds("MD-08", "CA-12"), .refuses("MD-08", "CA-12"))
    func `with aliases at a port of another host is found out, with member and URL`()
        throws
    {
        let found = try problems(aliases("mtls.example.com:8444"))
        #expect(found.map(\.area) == [.endpoints, .logout])
        #expect(found.map(\.problem.check) == ["MD-08", "MD-08"])
        #expect(
            found[0].problem.offered
                == "mtls_endpoint_aliases.token_endpoint is https://mtls.example.com:8444/token")
        #expect(found[0].problem.configured.contains("allow_ports"))
        let pushed = try problems(aliases("mtls.example.com:8444")) { $0.settings.form = .pushed }
        #expect(pushed.count == 3)
        #expect(try problems(aliases("mtls.example.com:8444")) { $0.ports = try? ports(allowed: [8444]) }.isEmpty)
        // Who shows no certificate does not go there.
        let secret = ClientCredentials.Method.secretBasic(Secret(Array("hush".utf8)))
        #expect(try problems(aliases("mtls.example.com:8444"), secret).isEmpty)
    }

    @Test(.holds("MD-07", "OIDC-12"), .refuses("MD-07", "OIDC-12")) func `whose userinfo is required has to have one`()
        throws
    {
        for (wish, rows) in [(LoginDemands.UserInfo.off, []), (.optional, []), (.required, ["MD-07"])] {
            #expect(try problems("") { $0.userInfo = wish }.isEmpty)
            let found = try problems("", members: Self.members.replacing("userinfo_endpoint", with: "other")) {
                $0.userInfo = wish
            }
            #expect(found.map(\.problem.check) == rows)
        }
    }

    @Test(
        .holds("MD-08", "OIDC-12"), .refuses("MD-08", "OIDC-12"),
        arguments: [(.off, 0, 0), (.optional, 1, 0), (.required, 1, 1)] as [(LoginDemands.UserInfo, Int, Int)])
    func `whose optional userinfo is at a refused port is told of, and keeps nobody out`(
        wish: LoginDemands.UserInfo, told: Int, against: Int
    ) throws {
        let members = Self.members.replacing("https://id.example.com/userinfo", with: "https://api.example.net:8443/u")
        var demands = LoginDemands(
            settings: AuthorizationRequestSettings(),
            credentials: try ClientCredentials(
                clientID: "shop", method: .secretBasic(Secret(Array("hush".utf8)))))
        demands.ports = try ports()
        demands.userInfo = wish
        let metadata = try metadata(members)
        let review = ServerSuitability.review(of: metadata, for: demands).flatMap(\.problems)
        #expect(review.map(\.check) == Array(repeating: "MD-08", count: told))
        #expect(ServerSuitability.problems(of: metadata, for: demands).count == against)
    }

    @Test(
        .holds("OIDC-05"), .refuses("OIDC-05"),
        arguments: [
            ("[\"RS256\",\"ES256\"]", true), ("[\"RS256\"]", false), ("[]", false), ("\"ES256\"", true),
        ])
    func `has to sign ID tokens by an algorithm that is taken`(offered: String, suits: Bool) throws {
        let found = try problems(",\"id_token_signing_alg_values_supported\":\(offered)") {
            $0.idToken = .init(signature: .algorithms([.es256, .ps256]))
        }
        #expect(found.map(\.problem.check) == (suits ? [] : ["OIDC-05"]))
        #expect(
            found.first.map(\.problem.configured) ?? "id_token.algorithm is ES256 or PS256"
                == "id_token.algorithm is ES256 or PS256")
        let shared = try problems(",\"id_token_signing_alg_values_supported\":[\"HS256\"]") {
            $0.idToken = .init(signature: .secret(.hs256, Secret([UInt8](repeating: 1, count: 32))))
        }
        #expect(shared.isEmpty)
    }

    @Test(.holds("CF-28"), .refuses("CF-28"))
    func `has to sign responses by an algorithm that is taken, where they are to be signed`()
        throws
    {
        let offered = ",\"authorization_signing_alg_values_supported\":[\"PS256\"]"
        for (mode, row) in [(AuthorizationRequestSettings.ResponseMode.query, []), (.jwt, ["CF-28"])] {
            let found = try problems(offered) {
                $0.settings.responseMode = mode
                $0.response = .init(signature: .algorithms([.es256]))
            }
            #expect(found.map(\.problem.check) == row)
        }
    }

    @Test(.holds("OIDC-11", "CF-28"), .refuses("OIDC-11", "CF-28"))
    func `has to encrypt by what the client's keys decrypt`() throws {
        let offered = """
            ,"id_token_encryption_alg_values_supported":["RSA-OAEP"],
            "authorization_encryption_alg_values_supported":["RSA-OAEP-256","ECDH-ES"]
            """
        for (algorithm, rows) in [("ECDH-ES", ["OIDC-11"]), ("RSA-OAEP", ["CF-28"])] {
            let found = try problems(offered) {
                $0.settings.responseMode = .jwt
                $0.idToken = .init(signature: .algorithms([.rs256]), mustBeEncrypted: true)
                $0.response = .init(signature: .algorithms([.rs256]), mustBeEncrypted: true)
                $0.decryptionAlgorithms = [algorithm]
            }
            #expect(found.map(\.problem.check) == rows)
        }
    }
}
