import Access
package import Gateway
import Issuers
import JSON

/// Why a request was let through or refused: every check in order, and what to change where one failed.
package struct Explanation: Sendable {
    /// How one check ended.
    package enum State: String, Sendable {
        case passed = "ok"
        case failed = "FAILED"
        /// An earlier check failed.
        case notReached = "not reached"
        /// The route, or the request, gives it nothing to do.
        case notNeeded = "not needed"
        /// Nobody could say.
        case undecided = "not known"
    }

    /// One check.
    package struct Line: Sendable {
        package var check: Check.ID
        /// What the check is called.
        package var title: String
        package var state: State
        /// What the request says, unverified; empty where there is nothing to see.
        package var seen: String
        /// What the configuration, or the specification, demands.
        package var wanted: String
        /// The text that demands the check, of this request.
        package var section: String
    }

    package let evidence: RequestEvidence
    package let verdict: Verdict
    /// The time the request was judged by, in unix seconds.
    package let now: Int64
    package let lines: [Line]
    package let remedy: Remedy?
    /// Where the request is sent to log in; empty for every other.
    package let loginWords: [String]
    /// It was decided by a configuration that another has taken the place of: its file is not the one of now.
    var isByEarlierConfiguration = false
    /// What logs call a request that the gateway remembers.
    var remembered: [(member: String, text: String)] = []
    /// Where the routes and issuers are called what.
    let names: ConfigurationNames

    /// A decision that a running gateway remembers, as text or as JSON.
    package static func page(_ decision: RememberedDecision, asJSON: Bool) -> [UInt8] {
        var explanation = Explanation(
            decision.evidence, decision.verdict, settings: decision.settings, now: decision.time)
        explanation.isByEarlierConfiguration = decision.isByEarlierConfiguration
        explanation.remembered = decision.names
        return asJSON ? explanation.json : Array(explanation.text.utf8)
    }

    /// Explains what the production stages have found; changes nothing about it.
    package init(_ evidence: RequestEvidence, _ verdict: Verdict, settings: GatewaySettings, now: Int64) {
        self.evidence = evidence
        self.verdict = verdict
        self.now = now
        names = ConfigurationNames(settings)
        let facts = CheckFacts(evidence: evidence, verdict: verdict, settings: settings, now: now)
        // Whoever has no logins need not read about them, nor about an upgrade that the request does not ask for.
        let progress = Progress(verdict, reached: evidence.reached)
        lines = Check.table.filter { $0.isShown(facts) }.map { check in
            let reason = facts.reasonSkipped(check)
            let state = progress.state(of: check.id, isNeeded: reason == nil)
            let isSilent = state == .notNeeded || !facts.has(check.subject)
            return Line(
                check: check.id, title: check.title, state: state, seen: isSilent ? "" : check.seen(facts),
                wanted: state == .notNeeded ? reason ?? "" : isSilent ? "" : check.wanted(facts),
                section: check.section(facts))
        }
        remedy = Remedy(facts)
        loginWords = Explanation.loginWords(verdict, facts)
    }

    /// The status of the answer: a page that needs a login is redirected to it (CF-08), one of ours keeps a form.
    package var status: Int? {
        guard case .refused(let refusal, _, _, _) = verdict else { return nil }
        return loginWords.isEmpty ? Int(refusal.status) : evidence.loginStart?.status ?? Int(refusal.status)
    }

    /// What only the running gateway knows of a request that would be forwarded: a sealed session opens here for as long as
    /// it was made for, whoever ended it before.
    var notLookedAt: String? {
        guard case .forwarded = verdict, evidence.isDryRun, evidence.session?.lives == true else { return nil }
        return "whether the session was ended before its time, by a logout here or at the server: the running gateway "
            + "alone knows that, and says it with --request-id"
    }

    /// What a script wants to know: 0 it would be forwarded, 3 refused, 1 nobody could say.
    package var exitStatus: Int32 {
        switch verdict {
        case .forwarded, .answered: 0
        case .refused: 3
        case .undecided: 1
        }
    }
}

/// The places of routes, issuers and listeners in the configuration file, as its problems name them.
struct ConfigurationNames: Sendable {
    private let settings: GatewaySettings

    init(_ settings: GatewaySettings) { self.settings = settings }

    func route(_ index: Int) -> String { "routes[\(index)]" }

    /// `route orders (routes[2])`.
    func describe(route index: Int) -> String {
        let settings = settings.routes[index]
        return settings.name == settings.path
            ? "\(settings.path) (\(route(index)))"
            : "\(settings.name), \(settings.path) (\(route(index)))"
    }

    func issuer(_ index: Int) -> String { "issuers.\(settings.issuers[index].name)" }

    func listener(_ index: Int) -> String { "listeners[\(index)]" }

    /// There are several, and which one a request came to is worth a word.
    var hasListeners: Bool { settings.listeners.count > 1 }
}
