import Crypto
import HTTPMessage
import Issuers
import JOSE
import OAuth
import TestSupport
import TestTraits
import Testing

@Suite struct `the introspection service asks` {
    @Test(.holds("INT-01")) func `by POST, as its client, for plain JSON, without more trouble than allowed`() throws {
        let services = try Services()
        services.answer(services.active)
        services.ask("a~b+c/d==")
        services.drain()
        let request = try #require(services.fetcher.requests.first)
        #expect(request.url == Services.introspection)
        #expect(request.method == .post)
        #expect(request.form == "token=a%7Eb%2Bc%2Fd%3D%3D&token_type_hint=access_token")
        #expect(request.field("Content-Type") == "application/x-www-form-urlencoded")
        #expect(request.field("Authorization") == "Basic Z2F0ZXdheTpodXNo")
        #expect(request.field("Accept") == "application/json")
        #expect(request.maximumBytes == 262_144)
        #expect(request.timeoutMilliseconds == 5000)
        #expect(request.allowLoopbackAndPrivateHost == "id.example.com")
        #expect(!request.insecureAllowHTTP)
        #expect(services.takeAnswers().map(\.word) == ["active"])
    }

    @Test(.holds("INT-01")) func `without the hint, and with its own patience, where it is set so`() throws {
        var settings = IntrospectionSettings(client: 0)
        settings.timeout = .milliseconds(250)
        settings.hint = false
        let services = try Services(settings)
        services.ask()
        services.drain()
        #expect(services.fetcher.requests.first?.form == "token=opaque")
        #expect(services.fetcher.requests.first?.timeoutMilliseconds == 250)
    }

    @Test(
        .refuses("INT-01", "INT-05"),
        arguments: [FetchRefusal.redirected, .tlsFailed("certificate"), .timedOut, .unresolved])
    func `has no answer when the server redirects, stalls or is not who it should be`(
        refusal: FetchRefusal
    ) throws {
        let services = try Services()
        services.fetcher.answer(Services.introspection, with: .failure(refusal))
        services.ask()
        services.drain()
        #expect(services.takeAnswers().map(\.cause) == [.request(.fetch(refusal))])
    }

    @Test(.holds("INT-05")) func `once more, over a new connection, when its own was closed without an answer`() throws
    {
        let services = try Services()
        services.answer(services.active)
        services.fetcher.answerOnce(Services.introspection, with: .failure(.unanswered))
        services.ask()
        services.drain()
        #expect(services.takeAnswers().map(\.word) == ["active"])
        #expect(services.fetcher.requests.map(\.connection) == [nil, .fresh])
        #expect(services.takeEvents().isEmpty)
    }

    @Test(.refuses("INT-05")) func `not a third time`() throws {
        let services = try Services()
        services.fetcher.answer(Services.introspection, with: .failure(.unanswered))
        services.ask()
        services.drain()
        #expect(services.takeAnswers().map(\.cause) == [.request(.fetch(.unanswered))])
        #expect(services.fetcher.requests.count == 2)
    }

    @Test(.holds("INT-05"), arguments: [FetchRefusal.timedOut, .unresolved, .connectFailed("no route"), .tooLarge])
    func `once where no connection was closed`(refusal: FetchRefusal) throws {
        let services = try Services()
        services.fetcher.answer(Services.introspection, with: .failure(refusal))
        services.ask()
        services.drain()
        #expect(services.fetcher.requests.count == 1)
        #expect(services.takeAnswers().map(\.word) == ["unavailable"])
    }

    @Test(.refuses("INT-05")) func `finds an answer beyond the bound to be that, however it is met`() throws {
        for isCutShort in [true, false] {
            let services = try Services(IntrospectionSettings(client: 0, answerBytes: 5000))
            if isCutShort {
                services.fetcher.answer(Services.introspection, with: .failure(.tooLarge))
            } else {
                services.answer("{\"active\":true,\"x\":\"" + String(repeating: "x", count: 5000) + "\"}")
            }
            services.ask()
            services.drain()
            #expect(services.fetcher.requests.map(\.maximumBytes) == [5000])
            #expect(services.takeAnswers().map(\.cause) == [.answerTooLarge(limit: 5000)])
        }
    }

    @Test func `the endpoint that the operator wrote rather than the metadata's`() throws {
        let url = "https://10.0.0.7:9443/i"
        let services = try Services(IntrospectionSettings(client: 0, endpoint: url))
        services.forgetMetadata()
        services.ask()
        services.drain()
        #expect(services.fetcher.requests.map(\.url) == [url])
        #expect(services.fetcher.requests.first?.allowLoopbackAndPrivateHost == "10.0.0.7")
    }

    @Test(.holds("CA-12")) func `the alias of the metadata with a certificate`() throws {
        let alias = "https://mtls.example.com/i"
        let method = ClientCredentials.Method.tls(certificateFile: "/c.pem", keyFile: "/k.pem")
        let services = try Services(
            method: method, members: ",\"mtls_endpoint_aliases\":{\"introspection_endpoint\":\"\(alias)\"}")
        services.ask()
        services.drain()
        let request = try #require(services.fetcher.requests.first)
        #expect(request.url == alias)
        #expect(request.clientCertificateFile == "/c.pem")
        #expect(request.clientKeyFile == "/k.pem")
        #expect(request.form.hasSuffix("&client_id=gateway"))
        // Another host than the issuer's, named by a document from outside, stays guarded.
        #expect(request.allowLoopbackAndPrivateHost == "id.example.com")
    }

    @Test(.refuses("CA-01")) func `no one, where the metadata does not offer its method`() throws {
        let services = try Services(members: ",\"introspection_endpoint_auth_methods_supported\":[\"private_key_jwt\"]")
        services.ask()
        services.drain()
        #expect(services.fetcher.requests.isEmpty)
        #expect(services.takeAnswers().map(\.cause) == [.methodNotOffered(.methodNotOffered("client_secret_basic"))])
    }

    @Test(.refuses("CA-05")) func `no one, where the metadata does not offer its algorithm`() throws {
        let services = try Services(
            method: .privateKeyJWT(SigningKey.p256.signer()),
            members: ",\"introspection_endpoint_auth_signing_alg_values_supported\":[\"PS256\"]")
        services.ask()
        services.drain()
        #expect(services.fetcher.requests.isEmpty)
        #expect(services.takeAnswers().map(\.cause) == [.methodNotOffered(.algorithmNotOffered("ES256"))])
    }

    @Test(.refuses("MD-08")) func `no one, where the metadata names a port of another service`() throws {
        let services = try Services()
        try services.publish(introspection: "https://other.example.com:6379/")
        services.ask()
        services.drain()
        #expect(services.fetcher.requests.isEmpty)
        #expect(services.takeAnswers().map(\.cause) == [.request(.portNotAllowed("https://other.example.com:6379/"))])
    }

    @Test func `no one, where nobody said where`() throws {
        let services = try Services()
        services.forgetMetadata()
        services.ask()
        services.drain()
        try services.publishNothing()
        services.ask()
        services.drain()
        #expect(services.takeAnswers().map(\.cause) == [.metadataMissing, .endpointMissing])
    }

    @Test(.refuses("INT-07")) func `no one about bytes that are no token`() throws {
        let services = try Services()
        services.ask("a b")
        services.drain()
        #expect(services.fetcher.requests.isEmpty)
        #expect(services.takeAnswers().map(\.cause) == [.tokenNotSendable])
    }

    @Test(.refuses("CA-11"))
    func `no one for an issuer without introspection, with another's client, or that does not exist`()
        throws
    {
        for settings in [nil, IntrospectionSettings(client: 7)] {
            let services = try Services(settings)
            services.ask()
            services.ask(issuer: 3)
            services.drain()
            #expect(services.fetcher.requests.isEmpty)
            #expect(services.takeAnswers().map(\.cause) == [.endpointMissing, .crowded])
        }
    }

    @Test(.holds("CA-07")) func `with an assertion of its own for each question`() throws {
        let secret = Secret([UInt8](repeating: 7, count: 32))
        let services = try Services(method: .secretJWT(.hs256, secret))
        services.ask()
        services.drain()
        services.ask()
        services.drain()
        let forms = services.fetcher.requests.map(\.form)
        #expect(forms.count == 2)
        #expect(forms.allSatisfy { $0.contains("client_assertion=") })
        #expect(forms[0] != forms[1])
    }
}

@Suite struct `the introspection service tells` {
    @Test(.holds("INT-06")) func `everyone who asks at the same time, after one question`() throws {
        let services = try Services()
        services.answer(services.active)
        services.fetcher.hold()
        for number in 0..<100 {
            services.ask(worker: number % 4)
            if number % 10 == 0 { services.drain() }
        }
        #expect(services.fetcher.requests.count == 1)
        #expect(services.introspection.load.concurrent == 1)
        services.release()
        let answers = services.takeAnswers()
        #expect(answers.count == 1)
        #expect(answers.first?.workers == [0, 1, 2, 3])
        #expect(answers.first?.digest == Services.digest("opaque"))
        #expect(answers.first?.issuer == 0)
        #expect(answers.first?.token?.subject == "u")
        #expect(services.introspection.load.concurrent == 0)
    }

    @Test(.holds("INT-06")) func `everyone on their own threads, each asked question once at a time`() async throws {
        let fetcher = ScriptedFetcher()
        let text = "{\"active\":true,\"sub\":\"u\"}"
        fetcher.answer(
            Services.introspection,
            with: .success(FetchResponse(status: 200, contentType: "application/json", body: Array(text.utf8))))
        var settings = World.settings()
        settings.introspection = IntrospectionSettings(client: 0, endpoint: Services.introspection)
        let client = ClientSettings(
            name: "gate", issuer: 0,
            credentials: try ClientCredentials(clientID: "g", method: .secretPost(Secret(Array("hush".utf8)))))
        let (answers, told) = AsyncStream.makeStream(of: IntrospectionAnswer.self)
        let service = IntrospectionService(
            settings: [settings], clients: [client],
            environment: LookupEnvironment(
                fetching: fetcher, clock: ManualClock(), executor: globalConcurrentExecutor),
            sources: .init(metadata: { _ in nil }, keys: { _ in nil }, requestKeys: { _, _, _ in }),
            onAnswer: { told.yield($0) }, onEvent: { _, _ in })
        fetcher.hold()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<1000 {
                group.addTask {
                    let token = "token\(number % 10)"
                    service.ask(
                        issuer: 0, token: Array(token.utf8), digest: Services.digest(token), worker: number / 10 % 8)
                }
            }
        }
        fetcher.release()
        var workers: [SHA256Digest: Set<Int>] = [:]
        var count = 0
        for await answer in answers {
            count += 1
            workers[answer.digest, default: []].formUnion(answer.workers)
            if workers.count == 10, workers.values.allSatisfy({ $0.count == 8 }) { break }
        }
        #expect(count == 10)
        #expect(fetcher.requests.count == 10)
        #expect(service.load == (0, 0))
    }

    @Test(.holds("INT-06")) func `each the answer to its own question`() throws {
        let services = try Services()
        services.answer(services.active)
        services.ask("one", worker: 1)
        services.ask("two", worker: 2)
        services.drain()
        let answers = services.takeAnswers()
        #expect(answers.map(\.digest) == [Services.digest("one"), Services.digest("two")])
        #expect(answers.map(\.workers) == [[1], [2]])
        #expect(services.fetcher.requests.count == 2)
    }

    @Test(.holds("INT-06")) func `how long an answer may be believed, and asks again when it is asked again`() throws {
        let services = try Services()
        let now = services.clock.now().wallSeconds
        services.answer("{\"active\":true,\"exp\":\(now + 7)}")
        services.ask()
        services.drain()
        guard case .active(_, let believedUntil)? = services.takeAnswers().first?.result else {
            Issue.record("not active")
            return
        }
        #expect(believedUntil == now + 7)
        // The token was revoked meanwhile.
        services.answer("{\"active\":false}")
        services.ask()
        services.drain()
        #expect(services.takeAnswers().map(\.word) == ["inactive"])
    }

    @Test(
        .refuses("DPOP-20", "RS-22", "INT-04"),
        arguments: ["{\"jkt\":\"0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I\"}", "{\"kid\":\"x\"}", "null"])
    func `that a bound JWT cannot be used when the server forgets what it is bound to`(
        confirmation: String
    ) throws {
        let jwt = TokenMint.sign(
            header: "{\"typ\":\"at+jwt\",\"alg\":\"ES256\"}", claims: "{\"cnf\":\(confirmation)}", key: .p256,
            algorithm: .es256)
        let services = try Services()
        services.answer(services.active)
        services.ask(jwt)
        services.drain()
        guard case .refused(.boundToKey)? = services.takeAnswers().first?.result else {
            Issue.record("not refused")
            return
        }
        let unbound = TokenMint.sign(
            header: "{\"typ\":\"at+jwt\",\"alg\":\"ES256\"}", claims: "{}", key: .p256, algorithm: .es256)
        services.ask(unbound)
        services.drain()
        #expect(services.takeAnswers().map(\.word) == ["active"])
    }

    @Test(.refuses("INT-04")) func `why a token that is active cannot be used`() throws {
        let services = try Services()
        services.answer("{\"active\":true,\"iss\":\"https://elsewhere.example\"}")
        services.ask()
        services.drain()
        guard case .refused(.issuerMismatch)? = services.takeAnswers().first?.result else {
            Issue.record("not refused")
            return
        }
        #expect(services.takeEvents().isEmpty)
    }

    @Test(.refuses("INT-05", "INT-06"), arguments: [400, 404, 429, 500, 502, 503])
    func `that nothing is known, remembers nothing of it, and tells the operator`(status: Int) throws {
        let services = try Services()
        services.answer("{\"active\":false}", status: status)
        services.ask()
        services.drain()
        #expect(services.takeAnswers().map(\.cause) == [.introspection(.status(status))])
        #expect(services.takeEvents() == [.introspectionFailed(.introspection(.status(status)), count: 1)])
        services.answer(services.active)
        services.ask()
        services.drain()
        #expect(services.takeAnswers().map(\.word) == ["active"])
    }

    @Test(.refuses("INT-05"), arguments: [401, 403])
    func `that nothing is known when its own credentials are refused, and raises an alarm`(status: Int) throws {
        let services = try Services()
        services.answer("", status: status)
        for number in 0..<5 { services.ask("token\(number)") }
        services.drain()
        let refusal = LookupRefusal.introspection(.credentialsRefused(status: status))
        #expect(services.takeAnswers().map(\.cause) == Array(repeating: refusal, count: 5))
        #expect(services.takeEvents() == [.clientRefused(client: "gate", status: status, count: 1)])
        services.clock.move(to: services.clock.now().milliseconds + 60_000)
        services.ask()
        services.drain()
        #expect(services.takeEvents() == [.clientRefused(client: "gate", status: status, count: 5)])
    }

    @Test func `the operator of failures once in ten seconds, with their number`() throws {
        let services = try Services()
        services.fetcher.answer(Services.introspection, with: .failure(.timedOut))
        let refusal = LookupRefusal.request(.fetch(.timedOut))
        for number in 0..<40 { services.ask("token\(number)") }
        services.drain()
        #expect(services.takeEvents() == [.introspectionFailed(refusal, count: 1)])
        services.clock.move(to: services.clock.now().milliseconds + 9_999)
        services.ask()
        services.drain()
        #expect(services.takeEvents().isEmpty)
        services.clock.move(to: services.clock.now().milliseconds + 1)
        services.ask()
        services.drain()
        #expect(services.takeEvents() == [.introspectionFailed(refusal, count: 41)])
    }

    @Test func `at once those for whom there is no room, and the others in their turn`() throws {
        let services = try Services(bounds: LookupBounds(concurrent: 2, waiting: 3))
        services.answer(services.active)
        services.fetcher.hold()
        for number in 0..<7 { services.ask("token\(number)", worker: number) }
        services.drain()
        #expect(services.fetcher.requests.count == 2)
        #expect(services.takeAnswers().map(\.cause) == [.crowded, .crowded])
        #expect(services.introspection.load == (2, 3))
        services.release()
        #expect(services.takeAnswers().map(\.word) == Array(repeating: "active", count: 5))
        #expect(services.fetcher.requests.count == 5)
        #expect(services.introspection.load == (0, 0))
    }

    @Test func `those who waited longer than an answer may take, without asking for them`() throws {
        let services = try Services(bounds: LookupBounds(concurrent: 1, waiting: 3))
        services.answer(services.active)
        services.fetcher.hold()
        services.ask("one")
        services.drain()
        services.ask("two")
        services.clock.move(to: services.clock.now().milliseconds + 5000)
        services.ask("three")
        services.release()
        #expect(services.takeAnswers().map(\.cause) == [nil, .waitedTooLong, nil])
        #expect(services.fetcher.requests.count == 2)
    }

    @Test func `everyone that nothing is known when it stops, and asks nothing any more`() throws {
        let services = try Services(bounds: LookupBounds(concurrent: 1, waiting: 3))
        services.fetcher.hold()
        services.ask("one", worker: 1)
        services.drain()
        services.ask("two", worker: 2)
        services.introspection.stop()
        services.drain()
        #expect(services.takeAnswers().map(\.workers).sorted { $0[0] < $1[0] } == [[1], [2]])
        services.ask("three", worker: 3)
        services.release()
        #expect(services.takeAnswers().map(\.cause) == [.stopped])
        #expect(services.fetcher.requests.count == 1)
        #expect(services.takeEvents().isEmpty)
    }

    @Test func `never the token, in no event and no refusal`() throws {
        let services = try Services()
        for text in ["{\"active\":true,\"exp\":1}", "hunter2", "[\"hunter2\"]"] {
            services.answer(text)
            services.ask("hunter2")
            services.drain()
        }
        services.answer("hunter2", status: 500)
        services.ask("hunter2")
        services.drain()
        let written = services.takeAnswers().map { "\($0)" } + services.takeEvents().map { "\($0)" }
        #expect(written.count == 5)
        #expect(!written.contains { $0.contains("hunter2") })
    }
}
