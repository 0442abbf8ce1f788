import Crypto
import HTTPMessage
import JOSE
import Login
import OAuth
import Refusals
import Sessions
import TestTraits
import Testing

@testable import Issuers

@Suite struct `clients of several servers` {
    private static let other = "https://other.example.net"

    /// Two clients: the good server's, and one of a server whose metadata the test writes.
    private func service(_ server: ScriptedServer) throws -> LoginService {
        func settings(_ name: String, _ client: Int, _ issuer: String) -> LoginSettings {
            var settings = LoginWorld.settings(.pushed)
            settings.name = name
            settings.client = client
            settings.idToken = IDTokenRules(issuer: issuer, clientID: name, signature: .algorithms([.es256]))
            settings.session.cookieName = "__Host-portcullis-\(name)"
            return settings
        }
        func client(_ name: String, _ issuer: Int) throws -> ClientSettings {
            ClientSettings(
                name: name, issuer: issuer,
                credentials: try ClientCredentials(
                    clientID: name, method: .secretPost(Secret(Array("secret-of-\(name)".utf8)))))
        }
        let text = """
            {"issuer":"\(Self.other)","authorization_endpoint":"\(Self.other)/authorize",\
            "token_endpoint":"\(Self.other)/token",\
            "pushed_authorization_request_endpoint":"\(Self.other)/par",\
            "code_challenge_methods_supported":["S256"]}
            """
        let foreign = try ServerMetadata.accept(
            FetchResponse(status: 200, contentType: "application/json", body: Array(text.utf8)),
            issuer: IssuerIdentifier(Self.other), keySetLocation: .optional)
        return LoginService(
            settings: [settings("shop-web", 0, ScriptedServer.issuer), settings("office", 1, Self.other)],
            clients: [try client("shop-web", 0), try client("office", 1)],
            issuers: [ScriptedServer.issuer, Self.other].map {
                IssuerSettings(name: $0, url: $0, rules: AccessTokenRules(issuer: $0))
            },
            environment: .init(
                fetching: server, clock: server.clock, executor: globalConcurrentExecutor,
                sources: .init(
                    metadata: { $0 == 0 ? try? server.metadata : foreign }, keys: { _ in try? server.keys() },
                    hasFailedToReadKeys: { _ in false }, refresh: { _, _, _ in true }), onEvent: { _ in }))
    }

    private func start(_ service: LoginService, _ client: Int, _ browser: inout Browser) async -> LoginAnswer {
        let answer = await service.answer(
            LoginRequest(
                endpoint: .start(client: client), query: Array("return_to=%2F&shown=1".utf8),
                cookies: browser.cookies(), publicURL: LoginWorld.publicURL))
        browser.keep(answer.cookies)
        return answer
    }

    @Test(.refuses("CF-23")) func `finish no login at another client's callback, and send its code to nobody`()
        async throws
    {
        let server = ScriptedServer(clock: ManualClock())
        let service = try service(server)
        var browser = Browser()
        let started = await start(service, 0, &browser)
        let response = try await server.authorize(try #require(started.location))
        let answer = await service.answer(
            LoginRequest(
                endpoint: .callback(client: 1), query: response.parameters, cookies: browser.cookies(),
                publicURL: LoginWorld.publicURL))
        #expect(answer.refusal == .loginTransactionUnknown)
        #expect(server.tokenRequests.isEmpty)
    }

    @Test(.holds("CA-11")) func `send each server its own client's secret, and no other`() async throws {
        let server = ScriptedServer(clock: ManualClock())
        let service = try service(server)
        var browser = Browser()
        _ = await start(service, 0, &browser)
        _ = await start(service, 1, &browser)
        let requests = server.requests
        #expect(requests.map(\.url) == [ScriptedServer.issuer + "/par", Self.other + "/par"])
        let forms = requests.map { String(decoding: $0.body ?? [], as: UTF8.self) }
        #expect(forms[0].contains("secret-of-shop-web") && !forms[0].contains("secret-of-office"))
        #expect(forms[1].contains("secret-of-office") && !forms[1].contains("secret-of-shop-web"))
    }

    @Test(.refuses("CA-11", "MD-08")) func `send no secret to a port that metadata points to`() async throws {
        let world = try LoginWorld(form: .pushed)
        world.server.habits.metadata = [
            "pushed_authorization_request_endpoint": "\"https://other.example.net:8443/par\""
        ]
        var browser = Browser()
        #expect(await world.start(&browser).refusal == .loginServerUnsuitable)
        #expect(world.server.requests.isEmpty)
    }

    @Test func `know no client that is not configured`() async throws {
        let service = try service(ScriptedServer(clock: ManualClock()))
        for endpoint in [
            LoginRequest.Endpoint.start(client: 2), .callback(client: 2), .session(client: -1), .logout(client: 9),
        ] {
            let answer = await service.answer(LoginRequest(endpoint: endpoint, publicURL: LoginWorld.publicURL))
            #expect(answer.refusal == .requestObjectUnknown)
        }
    }
}
