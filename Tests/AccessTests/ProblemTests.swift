import HTTPMessage
import JSON
import TestTraits
import Testing

@testable import Access

@Suite struct `a problem for programs` {
    private func members(_ refusal: Refusal, id: String = "0123", login: String? = nil) throws -> JSONValue {
        try JSONValue.parse(
            owned: Problem.document(refusal, requestID: id, decisionID: "1-0123", login: login))
    }

    @Test(arguments: Refusal.allCases) func `says what its status line says, and the request's id`(_ refusal: Refusal)
        throws
    {
        let problem = try members(refusal)
        #expect(problem["type"]?.string == "about:blank")
        #expect(problem["title"]?.string == "\(Status.reason(refusal.status))")
        #expect(problem["status"]?.integer == Int64(refusal.status))
        #expect(problem["request_id"]?.string == "0123" && problem["decision_id"]?.string == "1-0123")
        #expect(problem["error"] == nil && problem["login"] == nil)
    }

    @Test(arguments: Refusal.allCases)
    func `says no more of the cause than a challenge does`(_ refusal: Refusal) throws {
        let detail = try members(refusal)["detail"]?.string
        switch refusal.template {
        case .token, .request, .proof, .nonce, .stepUp: #expect(detail == refusal.clientDescription)
        case _: #expect(detail == nil, "what the operator alone is to know")
        }
    }

    @Test(.holds("CF-08")) func `tells a script where a session begins, when there is one`() throws {
        let problem = try members(.credentialsMissing, login: "/.portcullis/login/shop")
        #expect(problem["error"]?.string == "\(Refusal.credentialsMissing.word)")
        #expect(problem["login"]?.string == "/.portcullis/login/shop")
    }

    @Test(arguments: ["\"},{", "\u{0}\u{1F}", "</script>", "a\\u0022", "\u{2028}"])
    func `cannot be broken out of by what a client chose`(text: String) throws {
        // A request's id may be the client's own where the gateway is told to trust it.
        let problem = try members(.credentialsMissing, id: text, login: "/" + text)
        #expect(problem["request_id"]?.string == text)
        #expect(problem["login"]?.string == "/" + text)
    }

    @Test func `is of its media type, and for nobody to keep`() {
        #expect(Problem.fields.map(\.0) == ["Content-Type", "Cache-Control"])
        #expect(Problem.fields.map(\.1) == ["application/problem+json", "no-store"])
    }
}
