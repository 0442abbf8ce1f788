// SPDX-License-Identifier: Apache-2.0
import Login
import OAuth
import Sessions
import Synchronization
import Telemetry
import Testing

@testable import Gateway

/// Reports of two logins, their lines and their numbers.
private final class Office: Sendable {
    let registry = MetricsRegistry(
        workers: 1,
        labels: MetricsLabels(routes: [], causes: [], algorithms: [], issuers: [], logins: ["shop", "web"]),
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
    @Test func `OPS-03 a login, a logout and a refresh are each counted at their client`() {
        let office = Office()
        office.reports.report(.loggedIn(client: 1))
        office.reports.report(.loggedOut(client: 0))
        office.reports.report(.refreshed(client: 1, outcome: "ended"))
        #expect(
            office.counted == [
                #"portcullis_logins_total{client="web",outcome="succeeded"} 1"#,
                #"portcullis_logouts_total{client="shop"} 1"#,
                #"portcullis_session_refreshes_total{client="web",outcome="ended"} 1"#,
            ])
        #expect(office.log.contains(#""event":"logged_in","login_client":"web""#))
        #expect(office.log.contains(#""event":"session_refreshed","login_client":"web","outcome":"ended""#))
    }

    @Test func `OPS-03 a refused start or callback is a login that was refused`() {
        let office = Office()
        let refused = LoginAnswer(
            .refused(.loginLoop, detail: LoginDetail(expected: "", found: "", check: "CF-12")))
        office.reports.count(refused, to: .start(client: 0))
        office.reports.count(refused, to: .callback(client: 0))
        #expect(office.counted == [#"portcullis_logins_total{client="shop",outcome="refused"} 2"#])
    }

    @Test func `OPS-03 what is no login, or was not refused, counts as none`() {
        let office = Office()
        let refused = LoginAnswer(
            .refused(.sessionMissing, detail: LoginDetail(expected: "", found: "", check: "SC-12")))
        office.reports.count(refused, to: .session(client: 0))
        office.reports.count(refused, to: .logout(client: 0))
        office.reports.count(refused, to: .backchannelLogout(client: 0))
        office.reports.count(refused, to: .requestObject(id: ""))
        office.reports.count(refused, to: .start(client: 2))
        office.reports.count(LoginAnswer(.redirect("/")), to: .callback(client: 0))
        office.reports.report(.sessionsEnded)
        #expect(office.counted == [])
    }
}
