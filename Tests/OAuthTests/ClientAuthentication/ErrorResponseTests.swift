import HTTPMessage
import OAuth
import TestSupport
import TestTraits
import Testing

@Suite struct `an error response` {
    private func read(_ status: Int, _ body: String) -> ErrorResponse {
        ErrorResponse(FetchResponse(status: status, contentType: "application/json", body: Array(body.utf8)))
    }

    @Test(
        .holds("CA-15"),
        arguments: [
            (400, "invalid_client", ErrorResponse.Meaning.clientRefused), (401, "invalid_client", .clientRefused),
            (400, "unauthorized_client", .clientRefused), (400, "invalid_grant", .grantRefused),
            (403, "invalid_grant", .grantRefused), (400, "invalid_target", .targetRefused),
            (400, "invalid_request", .requestRefused), (400, "invalid_scope", .requestRefused),
            (400, "temporarily_unavailable", .serverUnavailable), (400, "server_error", .serverUnavailable),
        ])
    func `means what its code says`(status: Int, code: String, meaning: ErrorResponse.Meaning) {
        let found = read(status, #"{"error":"\#(code)","error_description":"why"}"#)
        #expect(found.meaning == meaning)
        #expect(found.code == code)
        #expect(found.description == "why")
        #expect(found.status == status)
    }

    @Test(
        .holds("CA-15"),
        arguments: [
            (400, ErrorResponse.Meaning.requestRefused), (401, .clientRefused), (403, .clientRefused),
            (404, .requestRefused), (429, .serverUnavailable), (500, .serverUnavailable), (502, .serverUnavailable),
            (503, .serverUnavailable), (200, .serverUnavailable), (999, .serverUnavailable),
        ])
    func `means what its status says where there is no code that is known`(
        status: Int, meaning: ErrorResponse.Meaning
    ) {
        for body in ["", "<html>500</html>", "{}", #"{"error":7}"#, #"{"error":"other"}"#, "[]", #"{"error":""#] {
            #expect(read(status, body).meaning == meaning)
        }
    }

    @Test(.refuses("CA-15")) func `has its description escaped and cut`() {
        let long = String(repeating: "x", count: 500)
        #expect(read(400, #"{"error":"e","error_description":"\#(long)"}"#).description?.count == 200)
        #expect(read(400, #"{"error_description":"a\r\nb\u0000\u001b[2J\"\\ü"}"#).description == "a??b??[2J???")
    }

    @Test(.refuses("CA-15"), arguments: ["", "a\\nb", "ü", "a\\\"b", String(repeating: "x", count: 65)])
    func `has no code that RFC 6749 could not spell`(code: String) {
        #expect(read(400, #"{"error":"\#(code)"}"#).code == nil)
    }

    @Test(.refuses("CA-15")) func `is read from a body cut or changed anywhere, without an end`() {
        let body = Array(#"{"error":"invalid_grant","error_description":"gone","x":[1,{"a":null}]}"#.utf8)
        for count in body.indices {
            #expect(read(400, String(decoding: body[..<count], as: UTF8.self)).meaning == .requestRefused)
            for bit in 0..<8 {
                var changed = body
                changed[count] ^= 1 << bit
                let found = ErrorResponse(FetchResponse(status: 400, body: changed))
                #expect([.requestRefused, .grantRefused].contains(found.meaning))
            }
        }
        let large = #"{"error":"invalid_grant","x":""# + String(repeating: "x", count: 20_000) + "\"}"
        #expect(read(400, large).code == nil)
    }
}
