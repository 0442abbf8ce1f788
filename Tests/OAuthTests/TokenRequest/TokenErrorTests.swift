import HTTPMessage
import OAuth
import Refusals
import TestSupport
import TestTraits
import Testing

private func error(_ status: Int, _ body: String, nonce: String? = nil, retryAfter: Int? = nil) -> TokenError {
    TokenError(
        FetchResponse(
            status: status, contentType: "application/json", dpopNonce: nonce, retryAfterSeconds: retryAfter,
            body: Array(body.utf8)))
}

private func error(_ status: Int, code: String, nonce: String? = nil) -> TokenError {
    error(status, "{\"error\":\"\(code)\",\"error_description\":\"a\\r\\nb\"}", nonce: nonce)
}

@Suite struct `an error of the token endpoint` {
    @Test(
        .holds("CA-15"),
        arguments: [
            (400, "invalid_grant", TokenError.Meaning.grantRefused), (403, "invalid_grant", .grantRefused),
            (401, "invalid_grant", .grantRefused), (403, "invalid_code", .grantRefused),
            (401, "invalid_client", .clientRefused), (400, "invalid_client", .clientRefused),
            (403, "unauthorized_client", .clientRefused), (400, "invalid_request", .requestRefused),
            (400, "invalid_scope", .requestRefused), (400, "invalid_target", .requestRefused),
            (400, "unsupported_grant_type", .requestRefused), (403, "invalid_dpop_proof", .requestRefused),
            (400, "temporarily_unavailable", .unavailable), (503, "x", .unavailable), (400, "x", .requestRefused),
        ])
    func `means what its code says, whatever status a server chose for it`(
        status: Int, code: String, meaning: TokenError.Meaning
    ) {
        let found = error(status, code: code)
        #expect(found.meaning == meaning)
        #expect(found.response.code == code)
        #expect(found.response.description == "a??b")
    }

    @Test(
        .holds("CA-15"),
        arguments: [
            (400, TokenError.Meaning.requestRefused), (401, .clientRefused), (403, .clientRefused),
            (404, .requestRefused),
            (405, .requestRefused), (429, .unavailable), (500, .unavailable), (502, .unavailable), (503, .unavailable),
        ])
    func `means what its status says where the body says nothing`(status: Int, meaning: TokenError.Meaning) {
        for body in ["<html><h1>500</h1>", "{}", "[]", "{\"error\":7}", "{\"error\":\"a\",\"error\":\"b\"}", " "] {
            #expect(error(status, body).meaning == meaning)
        }
        // Nothing at all, and 400: what servers that do not explain themselves say of a code or a refresh token.
        #expect(error(status, "").meaning == (status == 400 ? .grantRefused : meaning))
    }

    @Test(.refuses("CA-15", "CF-31"))
    func `comes out of the reading of a token response, an HTML page of the server's among them`() {
        let html = FetchResponse(status: 500, contentType: "text/html", body: Array("<html>".utf8))
        #expect(throws: TokenResponseRefusal.refused(TokenError(html))) {
            try TokenResponse.read(html, expects: .bearer)
        }
        #expect(TokenError(html).meaning == .unavailable)
        #expect(TokenResponseRefusal.refused(TokenError(html)).found == "status 500")
        // What looks like tokens is none with such a status.
        let tokens = answer("{\"access_token\":\"a\",\"token_type\":\"Bearer\"}", status: 400)
        #expect(throws: TokenResponseRefusal.refused(TokenError(tokens))) {
            try TokenResponse.read(tokens, expects: .bearer)
        }
    }

    @Test(.holds("CA-16"), .refuses("CA-16")) func `says when to come again, and for a code it is no invitation`() {
        #expect(error(503, "", retryAfter: 7).retryAfterSeconds == 7)
        #expect(error(503, "").retryAfterSeconds == nil)
        // The one answer after which a code is sent again is one by a server that did not look at it.
        for status in [400, 401, 403, 404, 429, 500, 503] {
            for body in ["", "{\"error\":\"invalid_grant\"}", "{\"error\":\"invalid_dpop_proof\"}", "<html>"] {
                if case .nonceDemanded = error(status, body, nonce: "n").meaning { Issue.record("asked again") }
            }
        }
    }

    @Test(.holds("DPOP-41"), arguments: [400, 401, 403])
    func `may be a demand for a nonce, which came with it`(status: Int) {
        #expect(
            error(status, code: "use_dpop_nonce", nonce: "eyJ7S_zG.eyJH0-Z.HX4w-7v").meaning
                == .nonceDemanded("eyJ7S_zG.eyJH0-Z.HX4w-7v"))
    }

    @Test(.refuses("DPOP-41", "DPOP-44")) func `is no demand without a nonce, or with another error`() {
        #expect(error(400, code: "use_dpop_nonce").meaning == .unavailable)
        #expect(error(500, code: "use_dpop_nonce", nonce: "n").meaning == .unavailable)
        // A code bound to another key than the proof's: nothing that another proof would mend.
        #expect(error(400, code: "invalid_dpop_proof", nonce: "n").meaning == .requestRefused)
        #expect(error(400, code: "invalid_grant", nonce: "n").meaning == .grantRefused)
    }
}

@Suite struct `the answer to a revocation` {
    private func read(_ status: Int, _ body: String = "", nonce: String? = nil) -> RevocationResponse {
        RevocationResponse.read(
            FetchResponse(status: status, dpopNonce: nonce, retryAfterSeconds: 11, body: Array(body.utf8)))
    }

    @Test(.holds("RV-01")) func `is done with 200, for a token that nobody knows too`() {
        #expect(read(200) == .done)
        #expect(read(200, "<html>") == .done)
        #expect(read(204) == .done)
        #expect(read(400, "{\"error\":\"invalid_grant\"}") == .done)
        #expect(read(400, "{\"error\":\"unsupported_token_type\"}") == .unsupported)
        #expect(read(503, "{\"error\":\"unsupported_token_type\"}") == .again(afterSeconds: 11))
    }

    @Test(.holds("RV-01"), .refuses("RV-01"))
    func `is to be asked for again when the server is down, and not when it says no`() {
        for status in [429, 500, 502, 503] { #expect(read(status) == .again(afterSeconds: 11)) }
        #expect(read(400, "{\"error\":\"use_dpop_nonce\"}", nonce: "n") == .nonceDemanded("n"))
        for status in [400, 401, 403, 404] {
            guard case .refused(let error) = read(status) else {
                Issue.record("\(status) is an answer to come again for")
                return
            }
            #expect((error.meaning == .clientRefused) == (status == 401 || status == 403))
        }
    }
}
