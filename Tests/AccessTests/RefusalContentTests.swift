import Access
import JSON
import Pages
import Testing

struct RefusalContentTests {
    private func reader(isNavigation: Bool = false, wantsProblem: Bool = false) -> Reader {
        var reader = Reader()
        (reader.isNavigation, reader.wantsProblem) = (isNavigation, wantsProblem)
        return reader
    }

    @Test(arguments: Refusal.allCases) func `people get a page about each refusal, in words that fit its status`(
        _ refusal: Refusal
    ) {
        let wanted: [UInt16: Set<PageTopic>] = [
            400: [
                .badRequest, .plainHTTP, .startMalformed, .notTrusted, .notVerified, .unknown, .expired, .used,
                .responseError, .codeRefused, .logoutToken,
            ],
            401: [.programs, .missing],
            403: [.notAllowed, .crossSite, .denied, .scopeMissing, .insufficient], 404: [.notFound], 405: [.method],
            408: [.tooSlow], 413: [.tooLarge], 414: [.longAddress], 417: [.badRequest], 421: [.otherHost],
            426: [.badRequest], 429: [.tooMany, .loop], 431: [.cookies], 501: [.badRequest],
            502: [.appDown, .misconfigured, .sessionTooLarge], 503: [.busy, .checkDown, .sessionDown, .serverDown],
            504: [.appSlow], 505: [.badRequest], 508: [.circle],
        ]
        guard case .page(let topic) = refusal.content(for: reader(isNavigation: true)) else {
            Issue.record("no page")
            return
        }
        #expect(wanted[refusal.status]?.contains(topic) == true, "\(refusal.status): \(topic)")
        // What cannot be reached is not the reader's fault, and is never told as one.
        if refusal.blame == .client { #expect(![.appDown, .appSlow, .checkDown, .serverDown].contains(topic)) }
        #expect(refusal.content(for: reader(isNavigation: true, wantsProblem: true)) == .page(topic))
    }

    @Test(arguments: Refusal.allCases) func `programs get nothing, or the problem that they ask for`(_ refusal: Refusal)
        throws
    {
        #expect(refusal.content(for: reader(wantsProblem: true)) == .problem)
        let document = Problem.document(refusal, requestID: "0123", decisionID: "1-0123")
        let value = try JSONValue.parse(document.span)
        #expect(value["type"]?.string == "about:blank")
        #expect(value["status"]?.integer == Int64(refusal.status))
        #expect(value["request_id"]?.string == "0123")
        // What only the operator is to know stays out.
        #expect(!String(decoding: document, as: UTF8.self).contains("\(refusal.word)\""))
        #expect(refusal.content(for: reader()) == (refusal == .plainHTTP ? .sentence : .nothing))
    }

    @Test func `whoever is signed in is told that the account is the reason`() {
        for refusal in [Refusal.claimRuleUnmet, .scopeInsufficient, .sessionScopeInsufficient] {
            #expect(refusal.content(for: reader(isNavigation: true), isSignedIn: true) == .page(.forbidden))
        }
        #expect(
            Refusal.crossSiteRequest.content(for: reader(isNavigation: true), isSignedIn: true) == .page(.crossSite))
    }
}
