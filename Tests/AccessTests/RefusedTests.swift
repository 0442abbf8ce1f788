import Access
import TestTraits
import Testing

@Suite struct `a refusal of one request` {
    @Test func `has no words but those that it was made with, and leads to no login by itself`() {
        let bare = Refused(.routeUnknown)
        #expect(bare.cause == .routeUnknown)
        #expect(bare.detail == RefusalDetail(expected: "", found: "", check: ""))
        #expect(bare.login == nil)
        let told = Refused(.tokenExpired, RefusalDetail(expected: "a later exp", found: "1 s ago", check: "RS-15"))
        #expect(told.detail.expected == "a later exp")
        #expect(told.detail.found == "1 s ago")
        #expect(told.detail.check == "RS-15")
    }

    @Test func `is a value: what is written to a copy is not read from the other`() {
        let first = Refused(.loginRequired)
        var second = first
        second.found = "another request's"
        second.login = LoginPointer()
        #expect(first.detail.found.isEmpty)
        #expect(first.login == nil)
    }

    @Test func `has the words that were written, whatever is in them`() {
        let (number, large, text) = (-7, UInt64.max, "some\"thing")
        let cases: [(words: Refused.Words, text: String)] = [
            ("", ""), ("none", "none"), ("at most \(number) bytes", "at most -7 bytes"), ("\(number)", "-7"),
            ("\(large) of \(text)", "18446744073709551615 of some\"thing"), ("a \(text)", "a some\"thing"),
            ("\(number)\(number)", "-7-7"),
            ("\(text), \(number) of \(number) and more", "some\"thing, -7 of -7 and more"),
            ("by \(text.isEmpty ? "none" : "one") of \(text)", "by one of some\"thing"),
        ]
        for (words, text) in cases { #expect(words.text == text) }
    }

    @Test func `keeps the number of its words, and makes no text of it`() {
        let limit = 16
        guard
            case .number("at most ", 16, " bytes") = Refused(
                .tokenTooLarge, expected: "at most \(limit) bytes", found: ""
            ).expected
        else {
            Issue.record("a text was made")
            return
        }
    }

    @Test func `keeps the lists of the configuration, and joins them when they are read`() {
        let rule = AuthorizationDetailsRule(type: "orders", actions: ["read", "write"])
        let cases: [(words: Refused.Words, text: String)] = [
            (.list(before: "", [], between: ", "), ""), (.list(before: "acr: ", ["a"], between: ", "), "acr: a"),
            (.list(before: "", ["a", "b"], between: " "), "a b"),
            (
                .claims([
                    ClaimRuleSettings(claim: ["a", "b"], anyOf: ["x", "y"]),
                    ClaimRuleSettings(claim: ["c"], anyOf: ["z"]),
                ]), "a.b in [x, y] and c in [z]"
            ),
            (.details([rule, AuthorizationDetailsRule(type: "pay")]), rule.text + " and type pay"), (.details([]), ""),
        ]
        for (words, text) in cases { #expect(words.text == text) }
        let kept = Refused(.tokenIssuerNotAccepted, expected: cases[2].words, found: "").expected
        guard case .list("", ["a", "b"], " ") = kept else {
            Issue.record("a text was made")
            return
        }
    }

    @Test(
        .holds("CF-08"),
        arguments: [
            ("/.login", ""), ("/.login?", ""), ("/.login?return_to=%2Fa", "return_to=%2Fa"),
            ("/.login?return_to=%2Fa%3Fb&step_up=1", "return_to=%2Fa%3Fb&step_up=1"), ("/.login?a?b", "a?b"),
        ])
    func `leads to a login whose query is all behind the first question mark`(location: String, query: String) {
        var pointer = LoginPointer()
        pointer.location = location
        #expect(pointer.query == Array(query.utf8))
    }

    @Test func `says when to come back where waiting helps, and nowhere else`() {
        let ofStore: [Refusal] = [.storeUnavailable, .storeBusy, .storeForgot]
        for refusal in Refusal.allCases {
            let outage = ofStore.contains(refusal) ? 1 : 5
            let seconds: Int? = refusal.status == 503 ? outage : refusal.status == 429 ? 1 : nil
            #expect(refusal.retryAfterSeconds == seconds, "\(refusal)")
        }
    }
}
