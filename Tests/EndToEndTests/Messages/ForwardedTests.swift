import TestSupport
import TestTraits
import Testing

/// Rows HTTP-52 and HTTP-53: what upstreams are told of the client's connection, and by whom.
@Suite(.serialized, .byEachProtocol) struct `what is forwarded of the client` {
    private static let shared = Shared { try ProxyStage() }
    let stage: ProxyStage

    init() throws { stage = try Self.shared.get() }

    private static let forged = [
        "X-Forwarded-For: 1.2.3.4", "X-Forwarded-Proto: http", "X-Forwarded-Host: evil.test", "X-Forwarded-Port: 81",
        "Forwarded: for=1.2.3.4;host=evil.test;proto=http", "x_forwarded_for: 1.2.3.4", "X-Real-IP: 1.2.3.4",
    ]

    @Test(.refuses("HTTP-52"), arguments: [ProxyStage.Listener.plain, .forwarding, .elsewhere])
    func `is what the gateway sees where nobody is trusted`(listener: ProxyStage.Listener) throws {
        let seen = try stage.forwarded(listener, Self.forged)
        #expect(seen.fields["x-forwarded-for"] == ["127.0.0.1"])
        #expect(seen.fields["x-forwarded-proto"] == ["https"])
        #expect(seen.fields["x-forwarded-host"] == ["gateway.test"])
        #expect(seen.fields["x-forwarded-port"] == ["443"])
        #expect(!seen.headText.contains("1.2.3.4"))
        #expect(!seen.headText.contains("evil"))
        #expect(seen.fields.contains("forwarded") == (listener == .forwarding))
        #expect(try stage.loggedClient(seen) == "127.0.0.1")
    }

    @Test(
        .holds("HTTP-52"),
        arguments: [
            ("gateway.test", "443"), ("gateway.test:443", "443"), ("other.test:8443", "8443"), ("[::1]", "443"),
        ])
    func `has the port that the client used`(host: String, port: String) throws {
        for listener in [ProxyStage.Listener.plain, .trusting] {
            let seen = try stage.forwarded(listener, ["X-Forwarded-Port: 81"], host: host)
            #expect(seen.fields["x-forwarded-port"] == [port])
            #expect(seen.fields["x-forwarded-host"] == [host])
        }
    }

    @Test(
        .holds("HTTP-52"), .refuses("HTTP-52"),
        arguments: [
            (["203.0.113.9"], "203.0.113.9, 127.0.0.1", "203.0.113.9"),
            (["203.0.113.9, 10.0.0.7"], "203.0.113.9, 10.0.0.7, 127.0.0.1", "203.0.113.9"),
            (["203.0.113.9", "10.0.0.7"], "203.0.113.9, 10.0.0.7, 127.0.0.1", "203.0.113.9"),
            // A stranger's claim stands in front of what the proxies saw: it is passed on, and not believed.
            (["1.2.3.4 ,203.0.113.9,10.0.0.7"], "1.2.3.4, 203.0.113.9, 10.0.0.7, 127.0.0.1", "203.0.113.9"),
            (["10.0.0.8, 10.0.0.7"], "10.0.0.8, 10.0.0.7, 127.0.0.1", "10.0.0.8"),
            (["2001:DB8:0::1, fd00::1"], "2001:db8::1, fd00::1, 127.0.0.1", "2001:db8::1"),
            (["[2001:db8::1]:4711", "203.0.113.9:80"], "2001:db8::1, 203.0.113.9, 127.0.0.1", "203.0.113.9"),
            // What is no address hides nobody: the chain is read from its end.
            (["evil\"<>, 203.0.113.9"], "203.0.113.9, 127.0.0.1", "203.0.113.9"),
            (["unknown", "203.0.113.9, 10.0.0.7"], "203.0.113.9, 10.0.0.7, 127.0.0.1", "203.0.113.9"),
            (["203.0.113.9, nonsense"], "127.0.0.1", "127.0.0.1"),
            ([",, 203.0.113.9 ,,"], "203.0.113.9, 127.0.0.1", "203.0.113.9"),
            ([""], "127.0.0.1", "127.0.0.1"),
            ([], "127.0.0.1", "127.0.0.1"),
        ] as [([String], String, String)])
    func `continues the chain of a trusted proxy`(lines: [String], chain: String, client: String) throws {
        let seen = try stage.forwarded(.trusting, lines.map { "X-Forwarded-For: \($0)" })
        #expect(seen.fields["x-forwarded-for"] == [chain])
        #expect(try stage.loggedClient(seen) == client)
    }

    @Test(
        .holds("HTTP-52"),
        arguments: [
            ["4f0c2b6a9d8e4f0c2b6a9d8e4f0c2b6a"], ["Root=1-67891233-abcdef0123456789"], ["a.B_c~d:e/f+g"],
            [String(repeating: "a", count: 128)],
        ])
    func `keeps the id that a trusted proxy gave, and has ours beside it in the log`(ids: [String]) throws {
        let fields = ids.map { "X-Request-Id: \($0)" }
        let seen = try stage.forwarded(.trusting, fields)
        #expect(seen.fields["x-request-id"] == ids)
        let line = try #require(stage.gateway.accessLine { $0["proxy_request_id"] == ids[0] })
        #expect(line["request_id"]?.wholeMatch(of: #/[0-9a-f]{32}/#) != nil)
        #expect(line["request_id"] != ids[0])
        #expect(line["path"] == "/a")
        // A stranger's is a stranger's text.
        for listener in [ProxyStage.Listener.plain, .elsewhere] {
            let other = try stage.forwarded(listener, fields)
            let id = try #require(other.fields.only("x-request-id"))
            #expect(id != ids[0] && id.wholeMatch(of: #/[0-9a-f]{32}/#) != nil)
            let line = try #require(stage.gateway.accessLine { $0["request_id"] == id })
            #expect(line["proxy_request_id"] == nil)
        }
    }

    @Test(
        .holds("HTTP-52"), .refuses("HTTP-52"),
        arguments: [
            [], [""], ["a b"], ["a,b"], ["a\"b"], ["a\u{e4}"], ["a", "b"], [String(repeating: "a", count: 129)],
            ["a{b}"],
        ])
    func `replaces an id that no proxy should have made, whoever sends it`(ids: [String]) throws {
        let seen = try stage.forwarded(.trusting, ids.map { "X-Request-Id: \($0)" })
        let id = try #require(seen.fields.only("x-request-id"))
        #expect(id.wholeMatch(of: #/[0-9a-f]{32}/#) != nil)
        let line = try #require(stage.gateway.accessLine { $0["request_id"] == id })
        #expect(line["proxy_request_id"] == nil)
    }

    @Test(.refuses("HTTP-52")) func `has a trusted proxy's id in the line of a refusal too`() throws {
        let client = try RawClient(port: stage.gateway.ports[ProxyStage.Listener.trusting.rawValue])
        try client.send("GET /a HTTP/1.1\r\nHost: nowhere.test\r\nX-Request-Id: ingress-7\r\n\r\n")
        let answer = try client.response()
        #expect(answer.status == 421)
        let id = try #require(answer.fields.only("x-request-id"))
        let line = try #require(stage.gateway.operatorLine { $0["event"] == "refused" && $0["request_id"] == id })
        #expect(line["proxy_request_id"] == "ingress-7")
    }

    @Test(.refuses("HTTP-52")) func `keeps the end of a chain that is too long`() throws {
        let addresses = (1...40).map { "10.1.0.\($0)" }
        let seen = try stage.forwarded(.trusting, ["X-Forwarded-For: " + addresses.joined(separator: ", ")])
        #expect(seen.fields["x-forwarded-for"] == [(addresses.suffix(16) + ["127.0.0.1"]).joined(separator: ", ")])
    }

    @Test(.holds("HTTP-52")) func `takes empty members of a chain, as many as it has addresses, and no more`() throws {
        let addresses = (1...16).map { "10.1.0.\($0)" }
        let whole = (addresses + ["127.0.0.1"]).joined(separator: ", ")
        let atBound = "1.2.3.4,," + addresses.joined(separator: " , , ")
        #expect(try stage.forwarded(.trusting, ["X-Forwarded-For: \(atBound)"]).fields["x-forwarded-for"] == [whole])
        #expect(try stage.forwarded(.trusting, ["X-Forwarded-For: \(atBound),"]).fields["x-forwarded-for"] == [whole])
        // One member more behind it, and the first address stands beyond what is looked at.
        let beyond = (addresses.dropFirst() + ["127.0.0.1"]).joined(separator: ", ")
        let seen = try stage.forwarded(.trusting, ["X-Forwarded-For: \(atBound),,"])
        #expect(seen.fields["x-forwarded-for"] == [beyond])
        let lines = Array(repeating: "X-Forwarded-For:", count: 31)
        let first = try stage.forwarded(.trusting, ["X-Forwarded-For: 203.0.113.9"] + lines)
        #expect(first.fields["x-forwarded-for"] == ["203.0.113.9, 127.0.0.1"])
        let none = try stage.forwarded(.trusting, ["X-Forwarded-For: 203.0.113.9"] + lines + [lines[0]])
        #expect(none.fields["x-forwarded-for"] == ["127.0.0.1"])
    }

    @Test(.holds("HTTP-52")) func `takes an address among white space, as long as it is not long`() throws {
        for (length, isTaken) in [(128, true), (129, false)] {
            let member = String(repeating: " ", count: length - 11) + "203.0.113.9"
            let seen = try stage.forwarded(.trusting, ["X-Forwarded-For: 1.2.3.4,\(member), 10.0.0.7"])
            let chain = (isTaken ? ["1.2.3.4", "203.0.113.9"] : []) + ["10.0.0.7", "127.0.0.1"]
            #expect(seen.fields["x-forwarded-for"] == [chain.joined(separator: ", ")])
            #expect(try stage.loggedClient(seen) == (isTaken ? "203.0.113.9" : "10.0.0.7"))
        }
    }

    @Test(
        .holds("HTTP-52"),
        arguments: [
            (["http"], "http", "80"), (["HTTPS"], "https", "443"), (["wss"], "https", "443"),
            (["http, https"], "https", "443"),
            (["http", "http"], "https", "443"), ([""], "https", "443"),
        ])
    func `keeps the scheme of a trusted proxy alone`(lines: [String], scheme: String, port: String) throws {
        let fields = lines.map { "X-Forwarded-Proto: \($0)" } + ["X-Forwarded-Host: evil.test"]
        let seen = try stage.forwarded(.trusting, fields)
        #expect(seen.fields["x-forwarded-proto"] == [scheme])
        #expect(seen.fields["x-forwarded-port"] == [port])
        #expect(seen.fields["x-forwarded-host"] == ["gateway.test"])
        #expect(try stage.forwarded(.plain, fields).fields["x-forwarded-proto"] == ["https"])
    }

    @Test(.refuses("HTTP-53")) func `is not said in Forwarded unless asked for`() throws {
        #expect(!(try stage.forwarded(.plain).fields.contains("forwarded")))
        #expect(!(try stage.forwarded(.trusting, ["Forwarded: for=203.0.113.9"]).fields.contains("forwarded")))
    }

    @Test(
        .holds("HTTP-53"),
        arguments: [
            ("gateway.test", "gateway.test"), ("other.test:8443", "\"other.test:8443\""), ("[::1]", "\"[::1]\""),
        ])
    func `is one element, quoted where it must be`(host: String, written: String) throws {
        let seen = try stage.forwarded(.forwarding, ["Forwarded: for=1.2.3.4"], host: host)
        #expect(seen.fields["forwarded"] == ["for=127.0.0.1;host=\(written);proto=https"])
    }

    private static let own = "for=127.0.0.1;host=gateway.test;proto=https"

    @Test(
        .holds("HTTP-53"),
        arguments: [
            ([#"for=203.0.113.9;proto=http"#], #"for=203.0.113.9;proto=http, "#),
            (
                [#"for="[2001:db8::1]:1234", for=_hidden"#, "for=unknown"],
                #"for="[2001:db8::1]:1234", for=_hidden, for=unknown, "#
            ),
            (["for=\"", "for=203.0.113.9"], "for=203.0.113.9, "),
            (["for=203.0.113.9", "for="], ""),
            (["for=203.0.113.9;for=203.0.113.9"], ""),
            (["x=\"\\\"\";for=10.0.0.7"], "x=\"\\\"\";for=10.0.0.7, "),
            ([[String](repeating: "for=10.0.0.7", count: 17).joined(separator: ",")], ""),
        ] as [([String], String)])
    func `continues the Forwarded of a trusted proxy that can be read`(lines: [String], kept: String) throws {
        let seen = try stage.forwarded(.trustingForwarding, lines.map { "Forwarded: \($0)" })
        #expect(seen.fields["forwarded"] == [kept + Self.own])
        let mistrusted = try stage.forwarded(.forwarding, lines.map { "Forwarded: \($0)" })
        #expect(mistrusted.fields["forwarded"] == [Self.own])
    }

    @Test(.holds("HTTP-53")) func `tells of the clients of a proxy that says X-Forwarded-For alone`() throws {
        let chain = ["X-Forwarded-For: evil, 203.0.113.9, 2001:db8::1"]
        let seen = try stage.forwarded(.trustingForwarding, chain)
        #expect(seen.fields["forwarded"] == [#"for=203.0.113.9, for="[2001:db8::1]", "# + Self.own])
        #expect(try stage.forwarded(.forwarding, chain).fields["forwarded"] == [Self.own])
        // What it says in Forwarded itself comes first.
        let both = try stage.forwarded(.trustingForwarding, chain + ["Forwarded: for=_hidden"])
        #expect(both.fields["forwarded"] == ["for=_hidden, " + Self.own])
    }

    @Test(.refuses("HTTP-53")) func `is never said in a response`() throws {
        stage.upstream.forget()
        let fields = ["Forwarded: for=10.0.0.1", "X-Forwarded-For: 10.0.0.1", "X-Kept: 1"]
        stage.upstream.answer("/a", with: .answer(200, fields: fields))
        let client = try RawClient(port: stage.gateway.ports[ProxyStage.Listener.forwarding.rawValue])
        try client.send(request("GET", "/a"))
        let answer = try client.response()
        #expect(!answer.fields.contains("forwarded"))
        #expect(!answer.fields.contains("x-forwarded-for"))
        #expect(answer.fields["x-kept"] == ["1"])
    }
}
