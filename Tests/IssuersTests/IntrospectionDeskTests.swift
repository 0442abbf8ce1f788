import Crypto
import HTTPMessage
import Issuers
import JOSE
import OAuth
import TestSupport
import TestTraits
import Testing

@Suite struct `the introspection desk asks` {
    @Test(.holds("INT-01")) func `by POST, as its client, for plain JSON, without more trouble than allowed`() throws {
        let desks = try Desks()
        desks.answer(desks.active)
        desks.ask("a~b+c/d==")
        desks.drain()
        let request = try #require(desks.fetcher.requests.first)
        #expect(request.url == Desks.introspection)
        #expect(request.method == .post)
        #expect(request.form == "token=a%7Eb%2Bc%2Fd%3D%3D&token_type_hint=access_token")
        #expect(request.field("Content-Type") == "application/x-www-form-urlencoded")
        #expect(request.field("Authorization") == "Basic Z2F0ZXdheTpodXNo")
        #expect(request.field("Accept") == "application/json")
        #expect(request.maximumBytes == 262_144)
        #expect(request.timeoutMilliseconds == 5000)
        #expect(request.allowLoopbackAndPrivateHost == "id.example.com")
        #expect(!request.insecureAllowHTTP)
        #expect(desks.takeAnswers().map(\.word) == ["active"])
    }

    @Test(.holds("INT-01")) func `without the hint, and with its own patience, where it is set so`() throws {
        let desks = try Desks(IntrospectionSettings(client: 0, timeoutMilliseconds: 250, hint: false))
        desks.ask()
        desks.drain()
        #expect(desks.fetcher.requests.first?.form == "token=opaque")
        #expect(desks.fetcher.requests.first?.timeoutMilliseconds == 250)
    }

    @Test(
        .refuses("INT-01", "INT-05"),
        arguments: [FetchRefusal.redirected, .tlsFailed("certificate"), .timedOut, .unresolved])
    func `has no answer when the server redirects, stalls or is not who it should be`(
        refusal: FetchRefusal
    ) throws {
        let desks = try Desks()
        desks.fetcher.answer(Desks.introspection, with: .failure(refusal))
        desks.ask()
        desks.drain()
        #expect(desks.takeAnswers().map(\.cause) == [.request(.fetch(refusal))])
    }

    @Test(.holds("INT-05")) func `once more, over a new connection, when its own was closed without an answer`() throws
    {
        let desks = try Desks()
        desks.answer(desks.active)
        desks.fetcher.answerOnce(Desks.introspection, with: .failure(.unanswered))
        desks.ask()
        desks.drain()
        #expect(desks.takeAnswers().map(\.word) == ["active"])
        #expect(desks.fetcher.requests.map(\.connection) == [nil, .fresh])
        #expect(desks.takeEvents().isEmpty)
    }

    @Test(.refuses("INT-05")) func `not a third time`() throws {
        let desks = try Desks()
        desks.fetcher.answer(Desks.introspection, with: .failure(.unanswered))
        desks.ask()
        desks.drain()
        #expect(desks.takeAnswers().map(\.cause) == [.request(.fetch(.unanswered))])
        #expect(desks.fetcher.requests.count == 2)
    }

    @Test(.holds("INT-05"), arguments: [FetchRefusal.timedOut, .unresolved, .connectFailed("no route"), .tooLarge])
    func `once where no connection was closed`(refusal: FetchRefusal) throws {
        let desks = try Desks()
        desks.fetcher.answer(Desks.introspection, with: .failure(refusal))
        desks.ask()
        desks.drain()
        #expect(desks.fetcher.requests.count == 1)
        #expect(desks.takeAnswers().map(\.word) == ["unavailable"])
    }

    @Test(.refuses("INT-05")) func `finds an answer beyond the bound to be that, however it is met`() throws {
        for isCutShort in [true, false] {
            let desks = try Desks(IntrospectionSettings(client: 0, answerBytes: 5000))
            if isCutShort {
                desks.fetcher.answer(Desks.introspection, with: .failure(.tooLarge))
            } else {
                desks.answer("{\"active\":true,\"x\":\"" + String(repeating: "x", count: 5000) + "\"}")
            }
            desks.ask()
            desks.drain()
            #expect(desks.fetcher.requests.map(\.maximumBytes) == [5000])
            #expect(desks.takeAnswers().map(\.cause) == [.answerTooLarge(limit: 5000)])
        }
    }

    @Test func `the endpoint that the operator wrote rather than the metadata's`() throws {
        let url = "https://10.0.0.7:9443/i"
        let desks = try Desks(IntrospectionSettings(client: 0, endpoint: url))
        desks.forgetMetadata()
        desks.ask()
        desks.drain()
        #expect(desks.fetcher.requests.map(\.url) == [url])
        #expect(desks.fetcher.requests.first?.allowLoopbackAndPrivateHost == "10.0.0.7")
    }

    @Test(.holds("CA-12")) func `the alias of the metadata with a certificate`() throws {
        let alias = "https://mtls.example.com/i"
        let method = ClientCredentials.Method.tls(certificateFile: "/c.pem", keyFile: "/k.pem")
        let desks = try Desks(
            method: method, members: ",\"mtls_endpoint_aliases\":{\"introspection_endpoint\":\"\(alias)\"}")
        desks.ask()
        desks.drain()
        let request = try #require(desks.fetcher.requests.first)
        #expect(request.url == alias)
        #expect(request.clientCertificateFile == "/c.pem")
        #expect(request.clientKeyFile == "/k.pem")
        #expect(request.form.hasSuffix("&client_id=gateway"))
        // Another host than the issuer's, named by a document from outside, stays guarded.
        #expect(request.allowLoopbackAndPrivateHost == "id.example.com")
    }

    @Test(.refuses("CA-01")) func `no one, where the metadata does not offer its method`() throws {
        let desks = try Desks(members: ",\"introspection_endpoint_auth_methods_supported\":[\"private_key_jwt\"]")
        desks.ask()
        desks.drain()
        #expect(desks.fetcher.requests.isEmpty)
        #expect(desks.takeAnswers().map(\.cause) == [.methodNotOffered(.methodNotOffered("client_secret_basic"))])
    }

    @Test(.refuses("CA-05")) func `no one, where the metadata does not offer its algorithm`() throws {
        let desks = try Desks(
            method: .privateKeyJWT(SigningKey.p256.signer()),
            members: ",\"introspection_endpoint_auth_signing_alg_values_supported\":[\"PS256\"]")
        desks.ask()
        desks.drain()
        #expect(desks.fetcher.requests.isEmpty)
        #expect(desks.takeAnswers().map(\.cause) == [.methodNotOffered(.algorithmNotOffered("ES256"))])
    }

    @Test(.refuses("MD-08")) func `no one, where the metadata names a port of another service`() throws {
        let desks = try Desks()
        try desks.publish(introspection: "https://other.example.com:6379/")
        desks.ask()
        desks.drain()
        #expect(desks.fetcher.requests.isEmpty)
        #expect(desks.takeAnswers().map(\.cause) == [.request(.portNotAllowed("https://other.example.com:6379/"))])
    }

    @Test func `no one, where nobody said where`() throws {
        let desks = try Desks()
        desks.forgetMetadata()
        desks.ask()
        desks.drain()
        try desks.publishNothing()
        desks.ask()
        desks.drain()
        #expect(desks.takeAnswers().map(\.cause) == [.metadataMissing, .endpointMissing])
    }

    @Test(.refuses("INT-07")) func `no one about bytes that are no token`() throws {
        let desks = try Desks()
        desks.ask("a b")
        desks.drain()
        #expect(desks.fetcher.requests.isEmpty)
        #expect(desks.takeAnswers().map(\.cause) == [.tokenNotSendable])
    }

    @Test(.refuses("CA-11"))
    func `no one for an issuer without introspection, with another's client, or that does not exist`()
        throws
    {
        for settings in [nil, IntrospectionSettings(client: 7)] {
            let desks = try Desks(settings)
            desks.ask()
            desks.ask(issuer: 3)
            desks.drain()
            #expect(desks.fetcher.requests.isEmpty)
            #expect(desks.takeAnswers().map(\.cause) == [.endpointMissing, .crowded])
        }
    }

    @Test(.holds("CA-07")) func `with an assertion of its own for each question`() throws {
        let secret = Secret([UInt8](repeating: 7, count: 32))
        let desks = try Desks(method: .secretJWT(.hs256, secret))
        desks.ask()
        desks.drain()
        desks.ask()
        desks.drain()
        let forms = desks.fetcher.requests.map(\.form)
        #expect(forms.count == 2)
        #expect(forms.allSatisfy { $0.contains("client_assertion=") })
        #expect(forms[0] != forms[1])
    }
}

@Suite struct `the introspection desk tells` {
    @Test(.holds("INT-06")) func `everyone who asks at the same time, after one question`() throws {
        let desks = try Desks()
        desks.answer(desks.active)
        desks.fetcher.hold()
        for number in 0..<100 {
            desks.ask(worker: number % 4)
            if number % 10 == 0 { desks.drain() }
        }
        #expect(desks.fetcher.requests.count == 1)
        #expect(desks.introspection.load.concurrent == 1)
        desks.release()
        let answers = desks.takeAnswers()
        #expect(answers.count == 1)
        #expect(answers.first?.workers == [0, 1, 2, 3])
        #expect(answers.first?.digest == Desks.digest("opaque"))
        #expect(answers.first?.issuer == 0)
        #expect(answers.first?.token?.subject == "u")
        #expect(desks.introspection.load.concurrent == 0)
    }

    @Test(.holds("INT-06")) func `everyone on their own threads, each asked question once at a time`() async throws {
        let fetcher = ScriptedFetcher()
        let text = "{\"active\":true,\"sub\":\"u\"}"
        fetcher.answer(
            Desks.introspection,
            with: .success(FetchResponse(status: 200, contentType: "application/json", body: Array(text.utf8))))
        var settings = World.settings()
        settings.introspection = IntrospectionSettings(client: 0, endpoint: Desks.introspection)
        let client = ClientSettings(
            name: "gate", issuer: 0,
            credentials: try ClientCredentials(clientID: "g", method: .secretPost(Secret(Array("hush".utf8)))))
        let (answers, told) = AsyncStream.makeStream(of: IntrospectionAnswer.self)
        let desk = IntrospectionDesk(
            settings: [settings], clients: [client], fetching: fetcher, clock: ManualClock(),
            executor: globalConcurrentExecutor,
            sources: .init(metadata: { _ in nil }, keys: { _ in nil }, requestKeys: { _ in }),
            onAnswer: { told.yield($0) }, onEvent: { _, _ in })
        fetcher.hold()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<1000 {
                group.addTask {
                    let token = "token\(number % 10)"
                    desk.ask(
                        issuer: 0, token: Array(token.utf8), digest: Desks.digest(token), worker: number / 10 % 8)
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
        #expect(desk.load == (0, 0))
    }

    @Test(.holds("INT-06")) func `each the answer to its own question`() throws {
        let desks = try Desks()
        desks.answer(desks.active)
        desks.ask("one", worker: 1)
        desks.ask("two", worker: 2)
        desks.drain()
        let answers = desks.takeAnswers()
        #expect(answers.map(\.digest) == [Desks.digest("one"), Desks.digest("two")])
        #expect(answers.map(\.workers) == [[1], [2]])
        #expect(desks.fetcher.requests.count == 2)
    }

    @Test(.holds("INT-06")) func `how long an answer may be believed, and asks again when it is asked again`() throws {
        let desks = try Desks()
        let now = desks.clock.now().wallSeconds
        desks.answer("{\"active\":true,\"exp\":\(now + 7)}")
        desks.ask()
        desks.drain()
        guard case .active(_, let believedUntil)? = desks.takeAnswers().first?.result else {
            Issue.record("not active")
            return
        }
        #expect(believedUntil == now + 7)
        // The token was revoked meanwhile.
        desks.answer("{\"active\":false}")
        desks.ask()
        desks.drain()
        #expect(desks.takeAnswers().map(\.word) == ["inactive"])
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
        let desks = try Desks()
        desks.answer(desks.active)
        desks.ask(jwt)
        desks.drain()
        guard case .refused(.boundToKey)? = desks.takeAnswers().first?.result else {
            Issue.record("not refused")
            return
        }
        let unbound = TokenMint.sign(
            header: "{\"typ\":\"at+jwt\",\"alg\":\"ES256\"}", claims: "{}", key: .p256, algorithm: .es256)
        desks.ask(unbound)
        desks.drain()
        #expect(desks.takeAnswers().map(\.word) == ["active"])
    }

    @Test(.refuses("INT-04")) func `why a token that is active cannot be used`() throws {
        let desks = try Desks()
        desks.answer("{\"active\":true,\"iss\":\"https://elsewhere.example\"}")
        desks.ask()
        desks.drain()
        guard case .refused(.issuerMismatch)? = desks.takeAnswers().first?.result else {
            Issue.record("not refused")
            return
        }
        #expect(desks.takeEvents().isEmpty)
    }

    @Test(.refuses("INT-05", "INT-06"), arguments: [400, 404, 429, 500, 502, 503])
    func `that nothing is known, remembers nothing of it, and tells the operator`(status: Int) throws {
        let desks = try Desks()
        desks.answer("{\"active\":false}", status: status)
        desks.ask()
        desks.drain()
        #expect(desks.takeAnswers().map(\.cause) == [.introspection(.status(status))])
        #expect(desks.takeEvents() == [.introspectionFailed(.introspection(.status(status)), count: 1)])
        desks.answer(desks.active)
        desks.ask()
        desks.drain()
        #expect(desks.takeAnswers().map(\.word) == ["active"])
    }

    @Test(.refuses("INT-05"), arguments: [401, 403])
    func `that nothing is known when its own credentials are refused, and raises an alarm`(status: Int) throws {
        let desks = try Desks()
        desks.answer("", status: status)
        for number in 0..<5 { desks.ask("token\(number)") }
        desks.drain()
        let refusal = LookupRefusal.introspection(.credentialsRefused(status: status))
        #expect(desks.takeAnswers().map(\.cause) == Array(repeating: refusal, count: 5))
        #expect(desks.takeEvents() == [.clientRefused(client: "gate", status: status, count: 1)])
        desks.clock.move(to: desks.clock.now().milliseconds + 60_000)
        desks.ask()
        desks.drain()
        #expect(desks.takeEvents() == [.clientRefused(client: "gate", status: status, count: 5)])
    }

    @Test func `the operator of failures once in ten seconds, with their number`() throws {
        let desks = try Desks()
        desks.fetcher.answer(Desks.introspection, with: .failure(.timedOut))
        let refusal = LookupRefusal.request(.fetch(.timedOut))
        for number in 0..<40 { desks.ask("token\(number)") }
        desks.drain()
        #expect(desks.takeEvents() == [.introspectionFailed(refusal, count: 1)])
        desks.clock.move(to: desks.clock.now().milliseconds + 9_999)
        desks.ask()
        desks.drain()
        #expect(desks.takeEvents().isEmpty)
        desks.clock.move(to: desks.clock.now().milliseconds + 1)
        desks.ask()
        desks.drain()
        #expect(desks.takeEvents() == [.introspectionFailed(refusal, count: 41)])
    }

    @Test func `at once those for whom there is no room, and the others in their turn`() throws {
        let desks = try Desks(bounds: LookupBounds(concurrent: 2, waiting: 3))
        desks.answer(desks.active)
        desks.fetcher.hold()
        for number in 0..<7 { desks.ask("token\(number)", worker: number) }
        desks.drain()
        #expect(desks.fetcher.requests.count == 2)
        #expect(desks.takeAnswers().map(\.cause) == [.crowded, .crowded])
        #expect(desks.introspection.load == (2, 3))
        desks.release()
        #expect(desks.takeAnswers().map(\.word) == Array(repeating: "active", count: 5))
        #expect(desks.fetcher.requests.count == 5)
        #expect(desks.introspection.load == (0, 0))
    }

    @Test func `those who waited longer than an answer may take, without asking for them`() throws {
        let desks = try Desks(bounds: LookupBounds(concurrent: 1, waiting: 3))
        desks.answer(desks.active)
        desks.fetcher.hold()
        desks.ask("one")
        desks.drain()
        desks.ask("two")
        desks.clock.move(to: desks.clock.now().milliseconds + 5000)
        desks.ask("three")
        desks.release()
        #expect(desks.takeAnswers().map(\.cause) == [nil, .waitedTooLong, nil])
        #expect(desks.fetcher.requests.count == 2)
    }

    @Test func `everyone that nothing is known when it stops, and asks nothing any more`() throws {
        let desks = try Desks(bounds: LookupBounds(concurrent: 1, waiting: 3))
        desks.fetcher.hold()
        desks.ask("one", worker: 1)
        desks.drain()
        desks.ask("two", worker: 2)
        desks.introspection.stop()
        desks.drain()
        #expect(desks.takeAnswers().map(\.workers).sorted { $0[0] < $1[0] } == [[1], [2]])
        desks.ask("three", worker: 3)
        desks.release()
        #expect(desks.takeAnswers().map(\.cause) == [.stopped])
        #expect(desks.fetcher.requests.count == 1)
        #expect(desks.takeEvents().isEmpty)
    }

    @Test func `never the token, in no event and no refusal`() throws {
        let desks = try Desks()
        for text in ["{\"active\":true,\"exp\":1}", "hunter2", "[\"hunter2\"]"] {
            desks.answer(text)
            desks.ask("hunter2")
            desks.drain()
        }
        desks.answer("hunter2", status: 500)
        desks.ask("hunter2")
        desks.drain()
        let written = desks.takeAnswers().map { "\($0)" } + desks.takeEvents().map { "\($0)" }
        #expect(written.count == 5)
        #expect(!written.contains { $0.contains("hunter2") })
    }
}
