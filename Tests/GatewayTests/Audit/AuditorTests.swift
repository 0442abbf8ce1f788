import Crypto
import Login
import OAuth
import Refusals
import Sessions
import Telemetry
import TestTraits
import Testing

@testable import Gateway
@testable import Login

private let alice = AuditIdentity(
    issuer: "https://id.example.com/", subject: "alice", clientID: "shop", tokenID: "t-1",
    session: 0x0000_0ABC_0000_0000)

private func settings() -> LoginSettings {
    LoginSettings(
        name: "web", client: 0, authorization: AuthorizationRequestSettings(),
        idToken: IDTokenRules(issuer: "https://id.example.com/", clientID: "shop-web"),
        session: SessionSettings(cookieName: "__Host-web"))
}

@Suite struct `names in the audit log` {
    @Test(.holds("ECO-57")) func `are keyed digests of issuer and subject, and hashes of jti`() throws {
        let rig = try AuditRig()
        rig.auditor.write(.refused, of: alice, .requests, [])
        // printf 'https://id.example.com/\nalice' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0707…
        // printf t-1 | sha256sum
        #expect(
            rig.written == [
                #"{"event":"refused","event_id":"e1","issuer":"https://id.example.com/","subject":"a979d298994bbec3b5c7b7cb8601f0bbfd7cbe60e3d5c7c8f001975a240eaf97","#
                    + #""client_id":"shop","jti_hash":"46e9bc3476c92ea24fb17adac6cd9cdacff7a34a5c753100787da5a29984f836","session":"00000abc"}"#
            ])
    }

    @Test(.refuses("ECO-57")) func `tell nobody without the key whose they are`() throws {
        let rigs = try [AuditRig(), AuditRig(key: Secret([UInt8](repeating: 8, count: 32))), AuditRig(key: nil)]
        for rig in rigs {
            rig.auditor.write(.login, of: alice, .sessions, [])
            rig.auditor.write(.login, of: alice, .sessions, [])
        }
        let names = rigs.map(\.written)
        #expect(names.allSatisfy { $0.count == 2 && $0[0] == $0[1] })
        #expect(Set(names.map { $0[0] }).count == 3)
        let plain = SHA256.hash("alice".utf8Span.span).base64URL
        #expect(names.joined().allSatisfy { !$0.contains("alice") && !$0.contains(plain) })
    }

    @Test(.holds("ECO-57")) func `are the issuer's own, or none, where the operator says so`() throws {
        let plain = try AuditRig(.plain)
        plain.auditor.write(.login, of: alice, .sessions, [])
        #expect(plain.written[0].contains(#""subject":"alice","client_id":"shop""#))
        let none = try AuditRig(.none)
        none.auditor.write(.login, of: alice, .sessions, [])
        #expect(none.written[0].contains(#""issuer":"https://id.example.com/","client_id":"shop""#))
        #expect(!none.written[0].contains("subject"))
    }

    @Test(.refuses("ECO-57")) func `are made with no key that could be guessed`() {
        #expect(throws: GatewayFailure.self) { try AuditRig(key: Secret([1, 2, 3])) }
    }
}

@Suite struct `lines of logins in the audit log` {
    private func written(_ event: LoginAudit.Event) throws -> String {
        let rig = try AuditRig(.plain)
        var audit = LoginAudit(
            event, issuer: "https://id.example.com/", subject: "alice", session: 0x0000_0ABC_0000_0000)
        audit.names.requestID = "0123"
        audit.names.decisionID = "1-0123"
        audit.names.proxyRequestID = "edge-7"
        audit.names.traceID = "7e57"
        audit.peer = "192.0.2.7"
        audit.write(to: rig.auditor, settings())
        return try #require(rig.written.first)
    }

    private static let names =
        #""request_id":"0123","proxy_request_id":"edge-7","decision_id":"1-0123","trace_id":"7e57","#
        + #""source_address":"192.0.2.7","issuer":"https://id.example.com/","#
        + #""subject":"alice","client_id":"shop-web","session":"00000abc","gateway_client":"web""#

    @Test(.holds("ECO-57")) func `say who, of which request and what`() throws {
        let events: [(LoginAudit.Event, word: String, more: String)] = [
            (.login, "login", ""), (.stepUpMet, "step_up_met", ""),
            (
                .refused(.loginScopeNotGranted), "refused",
                #","cause":"login_scope_not_granted","check":"CF-32","status":403"#
            ),
            (.logout(by: .user), "logout", #","by":"user""#),
            (.logout(by: .frontChannel), "logout", #","by":"front_channel""#),
            (.logout(by: .backChannel), "logout", #","by":"back_channel""#),
            (.ended(.idle), "session_ended", #","cause":"idle""#),
            (.ended(.absolute), "session_ended", #","cause":"absolute""#),
            (.ended(.refreshRefused, check: "RF-05"), "session_ended", #","cause":"refresh_refused","check":"RF-05""#),
            (.ended(.storeFull), "session_ended", #","cause":"store_full""#),
        ]
        for (event, word, more) in events {
            #expect(try written(event) == #"{"event":"\#(word)","event_id":"e1",\#(Self.names)\#(more)}"#)
        }
    }

    @Test func `say what ended a session by who asked and for how many`() {
        let subject = SessionEnd.subject(issuer: "i", subject: "s", until: 1)
        let server = SessionEnd.serverSession(issuer: "i", sid: "1")
        #expect(SessionSignal(server, by: .backChannel) == .sid)
        #expect(SessionSignal(subject, by: .backChannel) == .backChannelLogout)
        #expect(SessionSignal(server, by: .frontChannel) == .frontChannelLogout)
        #expect(SessionSignal(server, by: .user) == .userLogout)
    }

    @Test(.refuses("ECO-57")) func `say once that a session is over, whoever notices`() throws {
        let rig = try AuditRig(.plain)
        for cause in ["idle", "idle", "user_logout"] {
            rig.auditor.writeEnd(of: alice, [AuditField(.cause, cause)])
        }
        #expect(rig.written.count == 1)
        var other = alice
        other.session = 7
        rig.auditor.writeEnd(of: other, [])
        // Of sessions that nobody names, each end is one.
        other.session = nil
        rig.auditor.writeEnd(of: other, [])
        rig.auditor.writeEnd(of: other, [])
        #expect(rig.written.count == 4)
    }

    @Test func `print nothing of whom they are about`() {
        let audit = LoginAudit(.login, issuer: "https://id.example.com/", subject: "alice")
        #expect("\(audit)" == "[login audit]" && String(reflecting: audit) == "[login audit]")
        #expect(Mirror(reflecting: audit).children.isEmpty)
    }
}

@Suite struct `what one identity may write` {
    @Test(.refuses("ECO-57"))
    func `is bounded, counted, and hides neither its own logins nor anybody else's lines`() throws {
        let rig = try AuditRig(.plain)
        for _ in 0..<1000 { rig.auditor.write(.refused, of: alice, .requests, []) }
        let refused = rig.written.count
        #expect((AuditBudget.burst...AuditBudget.burst + 5).contains(refused), "\(refused)")
        rig.auditor.write(.logout, of: alice, .sessions, [])
        var bob = alice
        bob.subject = "bob"
        rig.auditor.write(.refused, of: bob, .requests, [])
        #expect(rig.written.count == refused + 2)
        // The token is another one, and its holder is not.
        var next = alice
        (next.tokenID, next.session, next.clientID) = ("t-2", 3, "other")
        rig.auditor.write(.refused, of: next, .requests, [])
        #expect(rig.written.count <= refused + 3)
        #expect(rig.auditor.sweep(all: true) == 0)
        let last = try #require(rig.written.last)
        #expect(
            last.hasPrefix(
                #"{"event":"left_out","event_id":"e1","issuer":"https://id.example.com/","subject":"alice","#))
        #expect(last.contains(#""cause":"too_many","count":9"#), "\(last)")
        let before = rig.written.count
        #expect(rig.auditor.sweep(all: true) == 0)
        #expect(rig.written.count == before)
    }

    @Test(.refuses("ECO-57")) func `is said a minute later, and looks at the admin listener are bounded too`() {
        let budget = AuditBudget()
        for _ in 0..<(AuditBudget.burst + 5) { _ = budget.admit(alice, .requests, at: 1_000_000) }
        for _ in 0..<(AuditBudget.burst + 2) { _ = budget.admit(nil, .admin, at: 1_000_000) }
        #expect(budget.takeLeftOut(at: 60_999_999).isEmpty)
        let due = budget.takeLeftOut(at: 61_000_000)
        #expect(due.map(\.count).sorted() == [2, 5])
        #expect(due.count { $0.identity == alice.holder } == 1)
        #expect(budget.takeLeftOut(at: 200_000_000).isEmpty)
        // It fills by itself.
        #expect(budget.admit(alice, .requests, at: 61_000_000))
    }

    @Test(.refuses("ECO-57")) func `takes no memory beyond a bound, however many identities there are`() {
        let budget = AuditBudget(limit: 10)
        func identity(_ number: Int) -> AuditIdentity { AuditIdentity(issuer: "i", subject: "\(number)") }
        for number in 0..<10 { #expect(budget.admit(identity(number), .requests, at: 1)) }
        // Those beyond it share what one has.
        let admitted = (10..<1000).count { budget.admit(identity($0), .requests, at: 1) }
        #expect(admitted == AuditBudget.burst)
        #expect(budget.count <= 12)
        #expect(budget.takeLeftOut(at: 1, all: true).map(\.count) == [990 - AuditBudget.burst])
        // Whoever was quiet for long makes room.
        #expect(budget.admit(identity(5000), .requests, at: 100_000_000))
        #expect(budget.count <= 2)
    }

    @Test(.refuses("ECO-57")) func `looks for room once a second at most, for all workers wait meanwhile`() {
        let budget = AuditBudget(limit: 10)
        func identity(_ number: Int) -> AuditIdentity { AuditIdentity(issuer: "i", subject: "\(number)") }
        for number in 0..<10 { _ = budget.admit(identity(number), .requests, at: 500_000) }
        _ = budget.admit(identity(10), .requests, at: 1_000_000)
        #expect(budget.count == 11)
        // By now the ten were quiet for long enough, and there would be room.
        _ = budget.admit(identity(11), .requests, at: 1_999_999)
        #expect(budget.count == 11)
        _ = budget.admit(identity(12), .requests, at: 2_000_000)
        #expect(budget.count <= 2)
    }

    @Test(.refuses("OPS-05")) func `is not what the destination lost, which is said as well`() throws {
        let rig = try AuditRig()
        rig.lose(3)
        #expect(rig.auditor.sweep() == 3)
        #expect(rig.written.isEmpty)
        // A second later nothing more was lost: there may be room again.
        #expect(rig.auditor.sweep() == 0)
        let line = #"{"event":"left_out","event_id":"e1","cause":"lost","count":3}"#
        #expect(rig.written == [line])
        // That line was lost as well: it is written again, not at once, and the operator hears nothing of it.
        rig.lose(1)
        #expect(rig.auditor.sweep() == 0 && rig.auditor.sweep() == 0)
        #expect(rig.written == [line])
        #expect(rig.auditor.sweep(all: true) == 0)
        #expect(rig.written == [line, line])
        #expect(rig.auditor.sweep() == 0 && rig.auditor.sweep(all: true) == 0)
        #expect(rig.written == [line, line])
    }
}
