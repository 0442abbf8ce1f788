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
        second.detail.found = "another request's"
        second.login = LoginPointer()
        #expect(first.detail.found.isEmpty)
        #expect(first.login == nil)
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
        for refusal in Refusal.allCases {
            let seconds: Int? = refusal.status == 503 ? 5 : refusal.status == 429 ? 1 : nil
            #expect(refusal.retryAfterSeconds == seconds, "\(refusal)")
        }
    }
}
