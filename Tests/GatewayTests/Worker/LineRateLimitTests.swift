import Access
import Telemetry
import Testing

@testable import Gateway

@Suite struct `OPS-05 lines of one cause` {
    @Test func `are written fifty at once, then two a second, and the next one says how many were left out`() {
        var pace = LineRateLimit()
        let now: UInt64 = 1_000_000
        for _ in 0..<LineRateLimit.burst { #expect(pace.admit(at: now) == 0) }
        for _ in 0..<7 { #expect(pace.admit(at: now) == nil) }
        #expect(pace.admit(at: now + 499_999) == nil)
        #expect(pace.admit(at: now + 500_000) == 8)
        #expect(pace.admit(at: now + 500_000) == nil)
        #expect(pace.admit(at: now + 1_000_000) == 1)
        // A quiet minute later all of it is there again.
        for _ in 0..<LineRateLimit.burst { #expect(pace.admit(at: now + 61_000_000) == 0) }
        #expect(pace.admit(at: now + 61_000_000) == nil)
    }

    @Test(arguments: UpstreamLineRateLimits.Kind.allCases)
    func `of an upstream leave out none of another kind, and say how many of their own there were`(
        kind: UpstreamLineRateLimits.Kind
    ) {
        var paces = UpstreamLineRateLimits()
        for _ in 0..<LineRateLimit.burst { #expect(paces.admit(kind, at: 1) == 0) }
        for _ in 0..<9 { #expect(paces.admit(kind, at: 1) == nil) }
        for other in UpstreamLineRateLimits.Kind.allCases where other != kind {
            #expect(paces.admit(other, at: 1) == 0)
        }
        #expect(paces.admit(kind, at: 60_000_000) == 9)
    }

    @Test func `of an upstream are of one kind for each cause and event`() {
        let failures: [ConnectFailure] = [.unresolved, .unreachable, .timedOut, .tlsFailed]
        #expect(Set(failures.map { UpstreamLineRateLimits.Kind($0) }).count == failures.count)
        #expect(Set(failures.map(\.cause)).count == failures.count)
        #expect(Set(UpstreamLineRateLimits.Kind.allCases.map(\.event)).count == 9)
    }

    @Test func `of a login leave out none of another login, event or word, and say how many of their own there were`() {
        let paces = LoginLineRateLimits()
        func admit(_ client: Int, _ event: LogEvent, _ word: String, at now: UInt64 = 1) -> Int? {
            paces.admit(client: client, event, word, at: now)
        }
        for _ in 0..<LineRateLimit.burst { #expect(admit(0, .revocationFailed, "queue_full") == 0) }
        for _ in 0..<9 { #expect(admit(0, .revocationFailed, "queue_full") == nil) }
        #expect(admit(1, .revocationFailed, "queue_full") == 0)
        #expect(admit(0, .sessionRefreshed, "queue_full") == 0)
        #expect(admit(0, .revocationFailed, "queue_share") == 0)
        #expect(admit(0, .revocationFailed, "queue_full", at: 60_000_000) == 9)
    }

    @Test func `leave out none of another cause`() {
        var paces = LineRateLimits()
        while paces.admit(Refusal.routeUnknown, at: 1) != nil {}
        for refusal in Refusal.allCases where refusal != .routeUnknown {
            #expect(paces.admit(refusal, at: 1) == 0, "\(refusal)")
        }
        for reason in HandshakeReason.allCases { #expect(paces.admit(reason, at: 1) == 0) }
        for event in LineRateLimits.Event.allCases { #expect(paces.admit(event, at: 1) == 0) }
    }
}
