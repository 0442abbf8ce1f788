import TestSupport
import TestTraits
import Testing

/// What the operator reads of a token endpoint that answers a code with something else than tokens, word for word.
@Suite(.serialized, .byEachProtocol) struct `the words about a token endpoint` {
    private static let shared = Shared {
        try SessionStage(LoginPlan(routes: ["{ path: /app/, upstream: $UPSTREAM, login: web }"]))
    }
    let stage: SessionStage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    /// An answer, and what is said of it.
    struct Answer: Sendable, CustomTestStringConvertible {
        var status = 200
        var type = "application/json"
        var body: String
        var cause: String
        var expected: String
        var found: String
        var page = 502
        var testDescription: String { body }
    }

    private static let tokens = "a token response (RFC 6749 section 5.1)"
    private static let answers = [
        Answer(
            body: "[]", cause: "login_token_answer_invalid", expected: tokens, found: "JSON that is no object"),
        Answer(
            body: #"{"access_token":"a","access_token":"b"}"#, cause: "login_token_answer_invalid", expected: tokens,
            found: "JSON with a member twice"),
        Answer(
            type: "text/html", body: "<html>", cause: "login_token_answer_invalid", expected: tokens,
            found: "Content-Type \"text/html\""),
        Answer(
            body: #"{"access_token":"a","token_type":"Bearer","expires_in":null}"#, cause: "login_token_answer_invalid",
            expected: tokens, found: "expires_in of another type, length or form than its specification gives it"),
        Answer(
            body: #"{"access_token":"a","token_type":"mac","expires_in":60}"#, cause: "login_token_type_wrong",
            expected: "token_type Bearer", found: "token_type \"mac\""),
        Answer(
            status: 400, body: #"{"error":"invalid_target","error_description":"unknown resource"}"#,
            cause: "login_server_unsuitable", expected: "tokens for the configured scopes and resource",
            found: "status 400, error invalid_target, \"unknown resource\""),
        Answer(
            status: 400, body: #"{"error":"invalid_grant"}"#, cause: "login_code_refused", expected: "tokens",
            found: "status 400, error invalid_grant", page: 400),
    ]

    @Test(.holds("CA-15", "CF-31"), arguments: answers) func `say what was wanted and what came`(answer: Answer) throws
    {
        stage.server.issuer.answer(
            ScriptedIssuer.tokenPath,
            with: .answer(answer.status, answer.body, fields: ["Content-Type: \(answer.type)"]))
        var browser = CookieJar()
        let page = try stage.callback("/.portcullis/login/web?return_to=/app/a", &browser)
        expectPage(page, status: answer.page)
        let id = page.fields.only("x-request-id")
        let line = try #require(
            stage.gateway.operatorLine { $0["request_id"] == id && $0["event"] == "refused" })
        #expect(line["cause"] == answer.cause, "\(line.raw)")
        #expect(line["expected"] == answer.expected && line["found"] == answer.found, "\(line.raw)")
        // Only a code that is not taken is about this one login; all else is the operator's to mend, and nobody else's.
        let isTheirs = answer.cause == "login_code_refused"
        #expect(page.bodyText.contains("This sign-in is no longer good") == isTheirs, "\(page.bodyText)")
        #expect(page.bodyText.contains("Signing in does not work here") == !isTheirs, "\(page.bodyText)")
        if !isTheirs {
            #expect(stage.gateway.operatorLine { $0["event"] == "login_alarm" && $0["cause"] == answer.cause } != nil)
        }
        #expect(line["blame"] == (isTheirs ? "client" : "issuer"), "\(line.raw)")
    }
}
