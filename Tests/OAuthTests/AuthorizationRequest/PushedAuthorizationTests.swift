import Crypto
import HTTPMessage
import JSON
import OAuth
import Refusals
import TestSupport
import TestTraits
import Testing

private typealias Given = Requesting

private let published = """
    {"request_uri":"urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c","expires_in":60}
    """

@Suite struct `a pushed request` {
    @Test(.holds("PAR-01")) func `has every parameter, the client among them, once, by every method of authentication`()
        throws
    {
        let parameters = PushedAuthorization.parameters(Given.parameters(try Given.everything(form: .pushed)))
        for method in try Authenticating.methods() {
            let form = try ClientCredentials(clientID: Given.clientID, method: method).ask(parameters)
            #expect(form.values("client_id") == [Given.clientID], "\(method.name)")
            for (name, value) in parameters where name != "client_id" && name != "resource" {
                #expect(form.values(name) == [value], "\(name)")
            }
            #expect(form.values("resource") == ["https://api.example/a", "https://api.example/b"])
            #expect(form.header("Content-Type") == ["application/x-www-form-urlencoded"])
        }
    }

    @Test(.refuses("PAR-01"), arguments: AuthorizationRequestSettings.Form.allCases)
    func `never has a request_uri`(form: AuthorizationRequestSettings.Form) throws {
        for settings in [AuthorizationRequestSettings(form: form), try Given.everything(form: form)] {
            let parameters = Given.parameters(settings)
            let names =
                PushedAuthorization.parameters(parameters).map(\.0)
                + PushedAuthorization.parameters(parameters, object: try Given.object(parameters)).map(\.0)
            #expect(!names.contains("request_uri"))
        }
    }

    @Test(.holds("PAR-02"), .refuses("PAR-02")) func `with an object has only that beside the authentication`() throws {
        let allowed: Set = ["request", "client_id", "client_secret", "client_assertion", "client_assertion_type"]
        let parameters = Given.parameters(try Given.everything(form: .pushedSigned))
        let object = try Given.object(parameters)
        for method in try Authenticating.methods() {
            let form = try ClientCredentials(clientID: Given.clientID, method: method)
                .ask(PushedAuthorization.parameters(parameters, object: object))
            #expect(Set(form.parameters.map(\.name)).isSubset(of: allowed), "\(method.name)")
            #expect(form.values("request") == [String(decoding: object, as: UTF8.self)])
            #expect(form.values("client_id") == [Given.clientID])
        }
    }

    @Test(.holds("PAR-02"), .refuses("PAR-02")) func `with an object has neither state nor scope outside of it`() throws
    {
        let parameters = Given.parameters(try Given.everything(form: .pushedSigned))
        let pairs = PushedAuthorization.parameters(parameters, object: try Given.object(parameters))
        #expect(pairs.map(\.0) == ["client_id", "request"])
        let names = try Given.open(Array(pairs[1].1.utf8)).claims.members.map(\.name)
        #expect(Set(names).isSuperset(of: Set(parameters.pairs.map(\.0))))
    }

    @Test(.refuses("CA-09"), arguments: ["other", "", "s6BhdRkqt3 ", "S6BHDRKQT3"])
    func `is not pushed in another client's name`(identifier: String) throws {
        for method in try Authenticating.methods() {
            #expect(throws: ClientAuthenticationRefusal.parameterReserved("client_id")) {
                try ClientCredentials(clientID: Given.clientID, method: method).ask([("client_id", identifier)])
            }
        }
    }
}

@Suite struct `the answer to a pushed request` {
    @Test(.holds("PAR-03")) func `is the reference and its lifetime, as RFC 9126 §2.2 shows it`() throws {
        let found = try PushedAuthorization.read(Given.answer(published))
        #expect(found.requestURI == "urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c")
        #expect(found.expiresIn == 60)
    }

    @Test(
        .holds("PAR-03"),
        arguments: [
            (200, "application/json", "60"), (201, "application/json; charset=utf-8", "60.0"),
            (201, "application/json", "1"),
        ])
    func `is tolerated with status 200, and in every spelling of an integer`(
        status: Int, type: String, lifetime: String
    ) throws {
        let body = "{\"expires_in\":\(lifetime),\"request_uri\":\"urn:x\",\"more\":[null]}"
        let found = try PushedAuthorization.read(Given.answer(body, status: status, contentType: type))
        #expect(found.requestURI == "urn:x")
        #expect(found.expiresIn > 0)
    }

    @Test(
        .refuses("PAR-03"),
        arguments: [
            (#"{"expires_in":60}"#, PushRefusal.missingMember("request_uri")),
            (#"{"request_uri":"urn:x"}"#, .missingMember("expires_in")),
            (#"{"request_uri":"","expires_in":60}"#, .memberMalformed("request_uri")),
            (#"{"request_uri":null,"expires_in":60}"#, .memberMalformed("request_uri")),
            (#"{"request_uri":["urn:x"],"expires_in":60}"#, .memberMalformed("request_uri")),
            (#"{"request_uri":"urn:x y","expires_in":60}"#, .memberMalformed("request_uri")),
            (#"{"request_uri":"urn:\r\nx","expires_in":60}"#, .memberMalformed("request_uri")),
            (#"{"request_uri":"urn:ü","expires_in":60}"#, .memberMalformed("request_uri")),
            (#"{"request_uri":"urn:x","expires_in":"60"}"#, .memberMalformed("expires_in")),
            (#"{"request_uri":"urn:x","expires_in":0}"#, .memberMalformed("expires_in")),
            (#"{"request_uri":"urn:x","expires_in":-1}"#, .memberMalformed("expires_in")),
            (#"{"request_uri":"urn:x","expires_in":0.5}"#, .memberMalformed("expires_in")),
            (#"{"request_uri":"urn:x","expires_in":1e400}"#, .memberMalformed("expires_in")),
            (#"{"request_uri":"urn:x","expires_in":99999999999999999999}"#, .memberMalformed("expires_in")),
            (#"{"request_uri":"urn:x","expires_in":true}"#, .memberMalformed("expires_in")),
            (#"{"request_uri":"urn:x","expires_in":null}"#, .memberMalformed("expires_in")),
            (#"["urn:x",60]"#, .notAnObject), (#""urn:x""#, .notAnObject),
        ] as [(String, PushRefusal)])
    func `is none when a member is absent or is not what it must be`(body: String, refusal: PushRefusal) {
        #expect(throws: refusal) { try PushedAuthorization.read(Given.answer(body)) }
    }

    @Test(.refuses("PAR-03"), arguments: ["86401", "9223372036854775807", "9007199254740992", "1e15"])
    func `is not believed for longer than a day`(lifetime: String) throws {
        let found = try PushedAuthorization.read(
            Given.answer("{\"request_uri\":\"urn:x\",\"expires_in\":\(lifetime)}"))
        #expect(found.expiresIn == 86_400)
    }

    @Test(.holds("PAR-03"), .refuses("PAR-03")) func `has a reference of 512 bytes at most`() throws {
        let longest = String(repeating: "x", count: 512)
        let body = { (reference: String) in "{\"request_uri\":\"\(reference)\",\"expires_in\":60}" }
        #expect(try PushedAuthorization.read(Given.answer(body(longest))).requestURI == longest)
        #expect(throws: PushRefusal.memberMalformed("request_uri")) {
            try PushedAuthorization.read(Given.answer(body(longest + "x")))
        }
    }

    @Test(.refuses("PAR-03"), arguments: ["", "<html>", "{", "{\"request_uri\":\"urn:x\",\"expires_in\":60}}"])
    func `is none when it is not JSON`(body: String) {
        #expect {
            try PushedAuthorization.read(Given.answer(body))
        } throws: {
            if case .notJSON? = $0 as? PushRefusal { true } else { false }
        }
    }

    @Test(.refuses("PAR-03")) func `is none when it says a member twice`() {
        #expect(throws: (any Error).self) {
            try PushedAuthorization.read(
                Given.answer(#"{"request_uri":"urn:a","request_uri":"urn:b","expires_in":60}"#))
        }
    }

    @Test(.refuses("PAR-03"), arguments: ["text/html", "", "application/jwt", nil])
    func `is none of another type`(type: String?) {
        #expect(throws: PushRefusal.contentType(type ?? "")) {
            try PushedAuthorization.read(Given.answer(published, contentType: type))
        }
    }

    @Test(.refuses("PAR-03")) func `is none when it is larger than anybody needs`() {
        let body = published + String(repeating: " ", count: PushedAuthorization.maximumBytes)
        #expect(throws: PushRefusal.tooLarge(bytes: body.utf8.count)) {
            try PushedAuthorization.read(Given.answer(body))
        }
    }

    @Test(.refuses("PAR-03"), arguments: [100, 202, 204, 206, 299, 304])
    func `is none with another status that is no error`(status: Int) {
        #expect(throws: PushRefusal.status(status)) {
            try PushedAuthorization.read(Given.answer(published, status: status))
        }
    }

    @Test(.refuses("PAR-03")) func `cut off anywhere is none`() throws {
        let whole = Array(published.utf8)
        for cut in everyStart(of: whole) {
            let answer = FetchResponse(status: 201, contentType: "application/json", body: cut)
            #expect(throws: PushRefusal.self) { try PushedAuthorization.read(answer) }
        }
    }

    @Test(.refuses("PAR-03")) func `with any byte changed is refused or is a reference that can be sent on`() throws {
        let whole = Array(published.utf8)
        for changed in everyChange(of: whole) {
            let answer = FetchResponse(status: 201, contentType: "application/json", body: changed.bytes)
            guard let found = try? PushedAuthorization.read(answer) else { continue }
            #expect(found.expiresIn > 0)
            #expect(found.requestURI.utf8.allSatisfy { (0x21...0x7E).contains($0) })
            let url = AuthorizationURL.pushed(endpoint: "https://a/", clientID: "c", requestURI: found.requestURI)
            #expect(ReadURL(url).names == ["client_id", "request_uri"])
        }
    }
}

@Suite struct `a pushed request that is refused` {
    private func refusal(_ body: String, _ status: Int, retryAfter: Int? = nil) -> PushRefusal? {
        var answer = Given.answer(body, status: status)
        answer.retryAfterSeconds = retryAfter
        do throws(PushRefusal) {
            _ = try PushedAuthorization.read(answer)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        .holds("PAR-05"),
        arguments: [
            (400, #"{"error":"invalid_request"}"#), (400, ""), (400, "<html>"), (404, ""), (410, "{}"),
            (403, ""), (403, #"{"error":"invalid_scope"}"#), (422, #"{"error":"invalid_request"}"#),
        ])
    func `is the operator's to look at`(status: Int, body: String) throws {
        let found = try #require(refusal(body, status))
        guard case .refused(let error) = found else {
            Issue.record("\(found)")
            return
        }
        #expect(error.status == status)
        #expect(found.check == "PAR-05")
    }

    @Test(
        .holds("PAR-05"),
        arguments: [
            (401, ""), (401, #"{"error":"invalid_client"}"#), (400, #"{"error":"invalid_client"}"#),
            (403, #"{"error":"unauthorized_client"}"#), (401, #"{"error":"invalid_request"}"#), (401, "<html>"),
        ])
    func `because of who asks is told apart`(status: Int, body: String) throws {
        let found = try #require(refusal(body, status))
        guard case .clientRefused = found else {
            Issue.record("\(found)")
            return
        }
        #expect(found.expected == "client authentication that the server takes")
    }

    @Test(
        .holds("PAR-05"),
        arguments: [
            (405, ""), (408, ""), (413, ""), (429, #"{"error":"slow_down"}"#), (500, "<html>"), (502, ""), (503, "{}"),
            (400, #"{"error":"temporarily_unavailable"}"#), (400, #"{"error":"server_error"}"#), (599, ""),
        ])
    func `because the server cannot answer is nobody's fault here`(status: Int, body: String) {
        #expect(refusal(body, status) == .unavailable(status: status, retryAfterSeconds: nil))
    }

    @Test(.holds("PAR-05"), .refuses("PAR-05"))
    func `until later is asked again when the server says so, and not for other reasons`() {
        #expect(refusal("", 429, retryAfter: 17) == .unavailable(status: 429, retryAfterSeconds: 17))
        #expect(refusal("", 503, retryAfter: 1) == .unavailable(status: 503, retryAfterSeconds: 1))
        let refused = ErrorResponse(Given.answer("", status: 400))
        #expect(refusal("", 400, retryAfter: 17) == .refused(refused))
    }

    @Test(.holds("DPOP-41"), arguments: [400, 401, 403])
    func `for want of a nonce says so`(status: Int) {
        #expect(refusal(#"{"error":"use_dpop_nonce"}"#, status) == .nonceDemanded)
    }

    @Test(.refuses("DPOP-41")) func `for want of a nonce is not believed of a server that fails`() {
        #expect(
            refusal(#"{"error":"use_dpop_nonce"}"#, 500) == .unavailable(status: 500, retryAfterSeconds: nil))
    }

    @Test(
        .refuses("JAR-09"),
        arguments: [
            "invalid_request_object", "request_not_supported", "invalid_request_uri", "request_uri_not_supported",
        ])
    func `because it is signed is refused, and nothing else`(code: String) throws {
        let found = try #require(refusal("{\"error\":\"\(code)\"}", 400))
        guard case .refused(let error) = found else {
            Issue.record("\(found)")
            return
        }
        #expect(error.code == code)
    }

    @Test(.holds("PAR-05"), .refuses("PAR-05"))
    func `is told to the operator, with what the server says of it and nothing unprintable`()
        throws
    {
        let found = try #require(
            refusal(#"{"error":"invalid_scope","error_description":"no\r\nsuch \"scope\""}"#, 400))
        #expect(found.found == "status 400, error invalid_scope, description no??such ?scope?")
        #expect(!found.expected.isEmpty)
    }

    @Test func `every refusal says what was wanted and what was found`() {
        let error = ErrorResponse(Given.answer("", status: 403))
        let all: [PushRefusal] = [
            .refused(error), .clientRefused(error), .nonceDemanded, .unavailable(status: 429, retryAfterSeconds: 7),
            .status(202), .tooLarge(bytes: 99_999), .contentType("text/html\r\n"), .contentType(""),
            .notJSON(.tooLong), .notAnObject, .missingMember("request_uri"), .memberMalformed("request_uri"),
            .memberMalformed("expires_in"), .memberMalformed("more"),
        ]
        for refusal in all {
            for text in [refusal.expected, refusal.found, refusal.check] {
                #expect(!text.isEmpty)
                #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(text)")
            }
        }
        #expect(all[3].found == "status 429, to be asked again after 7 s")
        #expect(all[6].found == "Content-Type \"text/html%0D%0A\"" && all[7].found == "no Content-Type")
        #expect(PushRefusal.notJSON(.duplicateMember).found == "JSON with a member twice")
        #expect(all[9].found == "JSON that is no object" && all[10].found == "no request_uri")
    }
}
