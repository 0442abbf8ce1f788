import Access
import Login
import OAuth
import Refusals
import Sessions
import Synchronization
import Telemetry
import TestTraits
import Testing

@testable import Gateway

/// Reports of two logins, their lines and their numbers.
private final class Office: Sendable {
    let registry = MetricsRegistry(
        workers: 1,
        labels: MetricsLabels(
            routes: [], causes: Refusal.allCases.map { RefusalLabel(cause: "\($0.word)", blame: $0.blame.rawValue) },
            algorithms: [], issuers: [], logins: ["shop", "web"]),
        version: "")
    private let lines = Mutex("")

    var reports: LoginReports {
        let log = OperatorLog(level: .debug) { line in
            let text = String(decoding: line.bytes, as: UTF8.self)
            self.lines.withLock { $0 += text }
        }
        return LoginReports(
            logins: ["shop", "web"].map { name in
                LoginSettings(
                    name: name, client: 0, authorization: AuthorizationRequestSettings(),
                    idToken: IDTokenRules(issuer: "https://id.example.com", clientID: name),
                    session: SessionSettings(cookieName: "__Host-" + name))
            }, log: log, metrics: registry.logins)
    }

    var log: String { lines.withLock { $0 } }

    /// What was counted, without what was not.
    var counted: [String] {
        String(decoding: registry.page(), as: UTF8.self).split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix("portcullis_log") || $0.hasPrefix("portcullis_session_refreshes") }
            .filter { !$0.hasSuffix(" 0") }
    }
}

@Suite struct `what is told of logins` {
    @Test(.refuses("OPS-05"))
    func `refreshes that nobody could be asked for, and failed revocations, bury nothing else`() {
        let office = Office()
        let reports = office.reports
        for _ in 0..<2000 {
            reports.report(.refreshed(client: 0, outcome: "unavailable"))
            reports.report(.revocationFailed(client: 0, reason: "queue_share"))
        }
        // What is of one session alone is said of each, however many there were of the other.
        for _ in 0..<100 { reports.report(.refreshed(client: 0, outcome: "ended")) }
        let lines = office.log.split(separator: "\n")
        let unavailable = lines.count { $0.contains(#""outcome":"unavailable""#) }
        let failed = lines.count { $0.contains(#""reason":"queue_share""#) }
        // Two a second beside the fifty at the beginning, however long the loop takes.
        #expect((50..<1000).contains(unavailable) && (50..<1000).contains(failed), "\(unavailable), \(failed)")
        #expect(lines.count { $0.contains(#""outcome":"ended""#) } == 100)
        // The metrics have each.
        let counted = #"portcullis_session_refreshes_total{client="shop",outcome="unavailable"} 2000"#
        #expect(office.counted.contains(counted))
    }

    @Test(.holds("OPS-03")) func `a login, a logout and a refresh are each counted at their client`() {
        let office = Office()
        var names = RequestNames()
        names.requestID = "5d"
        office.reports.report(.started(client: 1, names))
        names.decisionID = "1-5d"
        names.proxyRequestID = "edge-7"
        names.traceID = "7e57"
        let note = LoginNote(
            names, peer: "192.0.2.7", subjectDigest: 0x0123_4567_89AB_CDEF, session: 0xFEDC_BA98_7654_3210)
        office.reports.report(.loggedIn(client: 1, note))
        office.reports.report(.loggedOut(client: 0, RequestNames()))
        office.reports.report(.loggedOut(client: 0, names, session: 0x0000_0ABC_0000_0000))
        office.reports.report(.refreshed(client: 1, outcome: "ended"))
        #expect(
            office.counted == [
                #"portcullis_login_starts_total{client="web"} 1"#,
                #"portcullis_logins_total{client="web",outcome="succeeded"} 1"#,
                #"portcullis_logouts_total{client="shop"} 2"#,
                #"portcullis_session_refreshes_total{client="web",outcome="ended"} 1"#,
            ])
        #expect(office.log.contains(#""event":"login_started","login_client":"web","request_id":"5d"}"#))
        // Digests alone, and half of them.
        #expect(
            office.log.contains(
                #""event":"logged_in","login_client":"web","#
                    + #""request_id":"5d","decision_id":"1-5d","proxy_request_id":"edge-7","trace_id":"7e57","#
                    + #""client":"192.0.2.7","#
                    + #""sub_digest":"01234567","session":"fedcba98"}"#))
        #expect(office.log.contains(#""event":"logged_out","login_client":"shop"}"#))
        #expect(
            office.log.contains(
                #""event":"logged_out","login_client":"shop","request_id":"5d","decision_id":"1-5d","#
                    + #""proxy_request_id":"edge-7","trace_id":"7e57","session":"00000abc"}"#))
        #expect(office.log.contains(#""event":"session_refreshed","login_client":"web","outcome":"ended""#))
    }

    @Test(.holds("RF-05", "RF-06")) func `a refresh without tokens has in its line what was wanted and what was found`()
    {
        let office = Office()
        let no = RefusalDetail(expected: "new tokens", found: "status 400, error invalid_grant", check: "RF-05")
        office.reports.report(.refreshed(client: 1, outcome: "ended", no))
        #expect(
            office.log.contains(
                #""level":"info","event":"session_refreshed","login_client":"web","outcome":"ended","check":"RF-05","#
                    + #""expected":"new tokens","found":"status 400, error invalid_grant"}"#), "\(office.log)")
        let away = RefusalDetail(
            expected: "an answer of the token endpoint", found: "connect_failed", check: "CA-16")
        office.reports.report(.refreshed(client: 0, outcome: "unavailable", away))
        #expect(
            office.log.contains(
                #""level":"warning","event":"session_refreshed","login_client":"shop","outcome":"unavailable","#
                    + #""check":"CA-16","expected":"an answer of the token endpoint","found":"connect_failed"}"#),
            "\(office.log)")
        office.reports.report(.refreshed(client: 1, outcome: "refreshed"))
        #expect(office.log.hasSuffix(#""login_client":"web","outcome":"refreshed"}"# + "\n"), "\(office.log)")
    }

    @Test(.refuses("OPS-03")) func `a refused start or callback is a login that was refused`() {
        let office = Office()
        let refused = LoginAnswer(
            .refused(.loginLoop, detail: RefusalDetail(expected: "", found: "", check: "CF-12")))
        office.reports.count(refused, to: .start(client: 0))
        office.reports.count(refused, to: .callback(client: 0))
        #expect(
            office.counted == [
                #"portcullis_logins_total{client="shop",outcome="refused"} 2"#,
                #"portcullis_login_refusals_total{client="shop",cause="login_loop",blame="client"} 2"#,
            ])
    }

    @Test(.refuses("OPS-03")) func `what is no login, or was not refused, counts as none`() {
        let office = Office()
        let refused = LoginAnswer(
            .refused(.loginRequired, detail: RefusalDetail(expected: "", found: "", check: "SC-12")))
        office.reports.count(refused, to: .session(client: 0))
        office.reports.count(refused, to: .logout(client: 0))
        office.reports.count(refused, to: .backchannelLogout(client: 0))
        office.reports.count(refused, to: .requestObject(id: ""))
        office.reports.count(refused, to: .start(client: 2))
        office.reports.count(LoginAnswer(.redirect("/")), to: .callback(client: 0))
        office.reports.report(.sessionsEnded)
        #expect(office.counted == [])
    }

    @Test(
        .holds("OPS-03"),
        arguments: [
            (Refusal.loginIDTokenUnsuitable, "OIDC-05", "id_token.algorithm"),
            (.loginIDTokenUnsuitable, "OIDC-11", "id_token.encrypted"),
            (.loginIDTokenUnsuitable, "JOSE-22", "decryption_keys"),
            (.loginClientRefused, "CA-15", "authentication"), (.loginTokenTypeWrong, "DPOP-42", "dpop"),
            (.loginIDTokenMissing, "OIDC-01", "scopes"),
        ])
    func `an alarm names the key that says what the server did otherwise`(
        cause: Refusal, check: String, key: String
    ) {
        let office = Office()
        office.reports.report(
            .alarm(client: 1, cause, detail: RefusalDetail(expected: "alg RS256", found: "alg \"ES256\"", check: check))
        )
        #expect(
            office.log.contains("\"setting\":\"clients.web.\(key)\""),
            "\(office.log)")
    }

    @Test(.refuses("OPS-03")) func `an alarm that no single key answers for names none`() {
        let office = Office()
        office.reports.report(
            .alarm(
                client: 1, .loginServerUnsuitable,
                detail: RefusalDetail(expected: "S256", found: "none", check: "CF-05")))
        #expect(office.log.contains(#""event":"login_alarm""#))
        #expect(!office.log.contains(#""setting""#))
    }
}
