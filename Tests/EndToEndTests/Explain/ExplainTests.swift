import Bytes
import Foundation
import JSON
import TestSupport
import TestTraits
import Testing

/// `portcullis explain` as an operator runs it, beside the gateway whose decisions it explains.
@Suite(.serialized) struct `portcullis explain` {
    private static let shared = Shared {
        var plan = StagePlan()
        plan.settings = "explain_buffer: 50"
        plan.routes =
            Stage.ordinaryRoutes + [
                """
                { path: /bound/, upstream: $UPSTREAM, token: { issuers: [main], schemes: [DPoP, Bearer], \
                audience: "\(TokenForge.audience)" } }
                """
            ]
        return try Stage(plan)
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    /// What a run of the command printed, and how it ended.
    struct Run {
        var status: Int32
        var output: String
        var errors: String

        var json: JSONValue? { try? JSONValue.parse(Array(output.utf8).span) }
    }

    /// Runs the command on the stage's configuration; `$FOLDER` stands for its folder.
    func explain(_ arguments: [String], files: [String: String] = [:], config: String? = nil) throws -> Run {
        let folder = stage.gateway.folder
        for (name, text) in files { try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8) }
        let command =
            ([GatewayProcess.binary, "explain", config ?? "$FOLDER/gateway.yaml"] + arguments)
            .map { "'\($0.replacingOccurrences("$FOLDER", with: folder))'" }.joined(separator: " ")
        let child = try ChildProcess("/bin/sh", ["-c", "\(command) > \(folder)/out 2> \(folder)/err < /dev/null"])
        guard case .exited(let status) = child.waitForEnd() else {
            throw WireFailure.timedOut("explain did not end")
        }
        return Run(
            status: status, output: try String(contentsOfFile: folder + "/out", encoding: .utf8),
            errors: try String(contentsOfFile: folder + "/err", encoding: .utf8))
    }

    func signature(of token: String) -> String { String(token.split(separator: ".").last ?? "?") }

    @Test func `reads the issuer's keys itself, sends nothing to the upstream and shows no signature`() throws {
        let token = stage.tokens.token()
        let run = try explain(
            ["--url", "http://gateway.test/orders/7", "--token-file", "$FOLDER/token"], files: ["token": token + "\n"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.hasPrefix("FORWARDED\n"))
        #expect(run.output.contains("X-User: alice"))
        #expect(!run.output.contains(signature(of: token)))
        #expect(stage.upstream.now.requests.isEmpty)
    }

    @Test func `takes the whole value of the field from the token's file as well`() throws {
        let run = try explain(
            ["--url", "http://gateway.test/orders/7", "--token-file", "$FOLDER/token"],
            files: ["token": "Bearer \(stage.tokens.token())\n"])
        #expect(run.status == 0, "\(run.output)")
    }

    @Test func `takes the field's whole line from the token's file, and no more words than that`() throws {
        let run = try explain(
            ["--url", "http://gateway.test/orders/7", "--token-file", "$FOLDER/token"],
            files: ["token": "Authorization: Bearer \(stage.tokens.token())\n"])
        #expect(run.status == 0, "\(run.output)")
        let more = try explain(
            ["--url", "http://gateway.test/orders/7", "--token-file", "$FOLDER/token"], files: ["token": "a b c"])
        #expect(more.status == 2 && more.errors.contains("holds 3 words"), "\(more.errors)")
    }

    @Test func `exits 3 for a request that is refused, and says what to change`() throws {
        let run = try explain(
            ["--url", "http://gateway.test/orders/7", "--token-file", "$FOLDER/token"],
            files: ["token": stage.tokens.token(["aud": quoted(TokenForge.audience + "/")])])
        #expect(run.status == 3)
        #expect(run.output.hasPrefix("REFUSED  401  token_audience_missing  RS-13\n"))
        #expect(run.output.contains("only by the slash at its end"))
    }

    @Test func `takes what a browser copies as cURL, and shows none of its secrets`() throws {
        let token = stage.tokens.token()
        let command =
            "curl 'http://gateway.test/orders/7?access=1' \\\n  -H 'accept: application/json' \\\n"
            + "  -b 'theme=s3cret' \\\n  -H 'authorization: Bearer \(token)' \\\n  --compressed\n"
        let run = try explain(["--curl-file", "$FOLDER/curl"], files: ["curl": command])
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(run.output.hasPrefix("FORWARDED\nGET /orders/7?access=1 for gateway.test"))
        #expect(!run.output.contains(signature(of: token)) && !run.output.contains("s3cret"))
        let more = try explain(["--curl-file", "$FOLDER/curl"], files: ["curl": command + "id\n"])
        #expect(more.status == 2)
        #expect(more.errors.contains("a second command follows"))
        #expect(try explain(["--curl-file", "$FOLDER/curl", "--url", "http://gateway.test/"]).status == 2)
    }

    @Test func `is brief when it is asked to be`() throws {
        let run = try explain(["--url", "http://gateway.test/orders/7", "--brief"])
        #expect(run.status == 3)
        #expect(run.output.hasPrefix("REFUSED  401  credentials_missing"))
        #expect(run.output.contains("To change"))
        #expect(run.output.contains("\nFAILED "))
        #expect(!run.output.contains("\nok ") && !run.output.contains("\nnot reached"), "\(run.output)")
    }

    @Test func `takes no credentials as arguments`() throws {
        for field in ["Authorization: Bearer secret-word", "DPoP: secret-word", "Cookie: session=secret-word"] {
            let run = try explain(["--url", "http://gateway.test/orders/7", "--header", field])
            #expect(run.status == 2)
            #expect(run.errors.contains("--token-file"))
            #expect(!run.errors.contains("secret-word"))
            #expect(run.output.isEmpty)
        }
    }

    @Test func `exits 2 without a request, with an unreadable file, and for another URL than one`() throws {
        #expect(try explain([]).status == 2)
        #expect(try explain(["--url", "gateway.test/orders/7"]).status == 2)
        #expect(try explain(["--request", "$FOLDER/missing"]).status == 2)
        #expect(try explain(["--url", "http://gateway.test/", "--at", "yesterday"]).status == 2)
        #expect(try explain(["--url", "http://gateway.test/", "--keys", "other=$FOLDER/token"]).status == 2)
    }

    @Test func `exits 1 when the issuer's keys are not to be had`() throws {
        let yaml = try String(contentsOfFile: stage.gateway.folder + "/gateway.yaml", encoding: .utf8)
        // Nothing listens at port 9 of this machine, or it says nothing.
        let unreachable = yaml.replacingOccurrences(stage.issuer.url, with: "http://127.0.0.1:9")
        let mint = TokenMint(issuer: "http://127.0.0.1:9", audience: TokenForge.audience, key: stage.tokens.key)
        let run = try explain(
            ["--url", "http://gateway.test/orders/7", "--token-file", "$FOLDER/token", "--timeout", "2"],
            files: ["token": mint.accessToken(), "other.yaml": unreachable], config: "$FOLDER/other.yaml")
        #expect(run.status == 1)
        #expect(run.output.hasPrefix("NOT KNOWN"))
        #expect(run.output.contains("http://127.0.0.1:9/.well-known/openid-configuration"))
    }

    @Test func `says of saved requests what the gateway did with them`() throws {
        let tokens = stage.tokens
        let heads = [
            request("GET", "/orders/7", fields: [tokens.bearer()]), request("GET", "/open/7"), request("GET", "/7"),
            request("GET", "/orders/7"), request("GET", "/orders/7", fields: ["Authorization: Basic YTpi"]),
            request("GET", "/orders/7", fields: [tokens.bearer(), tokens.bearer()]),
            request("GET", "/orders/7?access_token=x", fields: [tokens.bearer()]),
            request("GET", "/orders/a%2Fb", fields: [tokens.bearer()]),
            request("TRACE", "/orders/7", fields: [tokens.bearer()]),
            request("GET", "/orders/7", fields: ["Authorization: Bearer opaque"]),
            request("GET", "/orders/7", fields: [tokens.bearer(["exp": moment(-1000)])]),
            request("GET", "/orders/7", fields: [tokens.bearer(["iss": quoted("https://other.test")])]),
            request("GET", "/orders/7", fields: [tokens.bearer(["scope": quoted("other")])]),
            request("GET", "/orders/7", fields: [tokens.bearer([:], header: ["typ": quoted("JWT")])]),
            request("GET", "/orders/7", fields: [tokens.bearer([:], header: ["kid": quoted("other")])]),
            request("GET", "/orders/7", fields: [tokens.bearer(["cnf": "{\"jkt\":\"x\"}"])]),
            request("GET", "/orders/7").replacingOccurrences("gateway.test", with: "other.test"),
            request("GET", "/orders/7").replacingOccurrences("Host", with: "Host : x\r\nHost"),
        ]
        for (number, head) in heads.enumerated() {
            let (response, line) = try logged(head)
            let run = try explain(["--request", "$FOLDER/saved", "--json"], files: ["saved": head])
            let json = try #require(run.json, "\(number): \(run.errors)")
            #expect(json["cause"]?.string == line["cause"], "\(number)")
            #expect(run.status == (response.status < 400 ? 0 : 3), "\(number)")
            if response.status >= 400 { #expect(json["status"]?.integer == Int64(response.status)) }
        }
    }

    /// A response, and the line of the access log about it.
    func logged(_ head: String) throws -> (WireResponse, LogLine) {
        // The lines of requests before it have come: the log keeps their order.
        let marker = try #require(try stage.exchange("GET", "/open/a%zz").fields.only("x-request-id"))
        _ = try #require(stage.gateway.accessLine { $0["request_id"] == marker })
        let before = stage.gateway.accessLog.count
        let response = try stage.gateway.exchange(head)
        _ = eventually { stage.gateway.accessLog.count > before }
        return (response, try #require(stage.gateway.accessLog.last))
    }

    @Test func `reads what curl and browsers save`() throws {
        let token = stage.tokens.token()
        let curl = """
            * Connected to gateway.test
            > GET /orders/7 HTTP/1.1
            > Host: gateway.test
            > Authorization: Bearer \(token)
            >
            < HTTP/1.1 401 Unauthorized
            """
        let tools = """
            :authority: gateway.test
            :method: GET
            :path: /orders/7
            :scheme: http
            authorization: Bearer \(token)
            """
        for text in [curl, tools] {
            let run = try explain(["--request", "$FOLDER/saved"], files: ["saved": text])
            #expect(run.status == 0, "\(run.output)\(run.errors)")
        }
    }
}

/// What a running gateway remembers of its decisions.
extension `portcullis explain` {
    @Test func `tells of a replayed proof by its request id, as only the gateway can`() throws {
        let fields = ProofCall().fields(stage) + ["Cookie: session=hidden-word", "X-Api-Key: hidden-word"]
        #expect(try stage.exchange("GET", "/bound/a", fields: fields).status == 200)
        let refused = try stage.exchange("GET", "/bound/a", fields: fields)
        #expect(refused.status == 401)
        let id = try #require(refused.fields["x-request-id"].first)
        let page = try stage.gateway.admin("/explain/\(id)")
        #expect(page.status == 200)
        let text = String(decoding: page.body, as: UTF8.self)
        #expect(text.hasPrefix("REFUSED  401  proof_replayed  DPOP-15\n"))
        #expect(text.contains("FAILED       proof: first use"))
        #expect(!text.contains("hidden-word"))
        for field in fields.prefix(2) { #expect(!text.contains(signature(of: field))) }

        let yaml = try String(contentsOfFile: stage.gateway.folder + "/gateway.yaml", encoding: .utf8)
        let known = yaml.replacingOccurrences(
            "admin: { address: \"127.0.0.1:0\"",
            with: "admin: { address: \"127.0.0.1:\(stage.gateway.adminPort)\"")
        let files = ["known.yaml": known]
        let run = try explain(["--request-id", id], files: files, config: "$FOLDER/known.yaml")
        #expect(run.status == 3, "\(run.errors)")
        #expect(run.output == text)
        let json = try explain(["--request-id", id, "--json"], files: files, config: "$FOLDER/known.yaml")
        #expect(json.json?["cause"]?.string == "proof_replayed")
    }

    @Test func `tells of a request that went through, and of one that could not be read`() throws {
        let (_, good) = try logged(request("GET", "/orders/7", fields: [stage.tokens.bearer()]))
        let page = try stage.gateway.admin("/explain/\(good["request_id"] ?? "")")
        #expect(String(decoding: page.body, as: UTF8.self).hasPrefix("FORWARDED\n"))
        let bad = try stage.gateway.exchange("GET /orders/7 HTTP/1.1\r\nHost : x\r\n\r\n")
        let other = try stage.gateway.admin("/explain/\(bad.fields["x-request-id"].first ?? "")")
        #expect(String(decoding: other.body, as: UTF8.self).hasPrefix("REFUSED  400  malformed_message"))
    }

    @Test(.holds("H2-86")) func `tells of a call over HTTP/2 what its client was told, as a dry run does`() throws {
        let client = try FrameClient(port: stage.gateway.port)
        try client.client.send(
            FrameClient.request(
                1, "/orders/Get", method: "POST", [("content-type", "application/grpc"), ("te", "trailers")]))
        try client.frames { $0.stream == 1 && $0.ends }
        let fields = client.fields[1] ?? []
        func field(_ name: String) -> String? {
            fields.first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.utf8.count + 2)) }
        }
        let told = "its client is told: grpc-status \(field("grpc-status") ?? "") UNAUTHENTICATED, "
        let page = try stage.gateway.admin("/explain/\(field("x-request-id") ?? "")")
        let dry = try explain([
            "--http2", "--method", "POST", "--url", "http://gateway.test/orders/Get", "--header",
            "Content-Type: application/grpc",
        ])
        #expect(dry.status == 3)
        for text in [String(decoding: page.body, as: UTF8.self), dry.output] {
            #expect(text.hasPrefix("REFUSED  401  credentials_missing"), "\(text)")
            #expect(text.contains("POST /orders/Get for gateway.test over HTTP/2, from 127.0.0.1"), "\(text)")
            #expect(text.contains("\na call of gRPC: method Get of service orders\n"), "\(text)")
            #expect(text.contains(told), "\(told) in \(text)")
        }
    }

    @Test func `judges a request over HTTP/2 only where one can come so`() throws {
        let yaml = try String(contentsOfFile: stage.gateway.folder + "/gateway.yaml", encoding: .utf8)
        let files = ["other.yaml": yaml.replacingOccurrences("http2: true", with: "http2: false")]
        let arguments = ["--http2", "--url", "http://gateway.test/open/a"]
        #expect(try explain(arguments).status == 0)
        let run = try explain(arguments, files: files, config: "$FOLDER/other.yaml")
        #expect(run.status == 2 && run.errors.contains("listeners[0] has http2: false"), "\(run.errors)")
        #expect(try explain(["--http2", "--check", "RS-13"]).status == 2)
        #expect(
            try explain(["--http2", "--request-id", "x"]).errors.contains("leave --url, --request, --curl-file and"))
    }

    @Test func `knows nothing of ids that are unknown or none`() throws {
        #expect(try stage.gateway.status("/explain/00000000000000000000000000000000") == 404)
        #expect(try stage.gateway.status("/explain/x") == 404)
        #expect(try stage.gateway.status("/explain/") == 404)
    }

    @Test func `is told nothing by a gateway that remembers nothing`() throws {
        let other = try Stage(StagePlan())
        let response = try other.exchange("GET", "/orders/7")
        let page = try other.gateway.admin("/explain/\(response.fields["x-request-id"].first ?? "")")
        #expect(page.status == 404)
        #expect(String(decoding: page.body, as: UTF8.self).contains("explain_buffer"))
    }
}
