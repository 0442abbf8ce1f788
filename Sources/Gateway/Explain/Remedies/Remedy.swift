// SPDX-License-Identifier: Apache-2.0

/// What is wrong, in one sentence, and what somebody can change: for an operator who has been woken.
///
/// Every text of ours that tells somebody to do something is in this folder. Steps are in the order in which they are
/// worth trying: whoever made the mistake first, this configuration last, for a gateway that is told to accept more
/// is the easy fix and seldom the right one.
package struct Remedy: Sendable {
    /// Where a change is to be made.
    package enum Place: String, Sendable {
        case client = "at the client"
        case server = "at the authorization server"
        case front = "at the proxy in front"
        case machine = "on this machine"
        case configuration = "in this configuration"
    }

    package struct Step: Sendable {
        package var place: Place
        /// When this is the right thing to do, such as `if clients really use this name`; empty when it always is.
        package var condition = ""
        package var text: String
    }

    package let diagnosis: String
    package let steps: [Step]

    init(_ diagnosis: String, _ steps: [Step] = []) {
        self.diagnosis = diagnosis
        self.steps = steps
    }

    /// Nil when nothing went wrong.
    init?(_ verdict: Verdict, _ facts: CheckFacts) {
        switch verdict {
        case .forwarded, .answered: return nil
        case .undecided(.keys, let reason): self = facts.remedyForKeys(reason)
        case .undecided(.introspection, let reason):
            self = facts.remedyForIntrospection(.introspectionUnavailable, reason)
        case .undecided(.session, let reason), .undecided(.sessionTokens, let reason):
            self = Remedy(
                "This could not be found out here: \(ShownText.plain(reason)).",
                [.machine("ask the running gateway with --request-id (explain_buffer keeps requests)")])
        case .undecided(_, let reason): self = Remedy("This could not be found out: \(ShownText.plain(reason)).")
        case .refused(.tokenBoundToKey, _, _, "RS-25"):
            self = Remedy(
                "The route passes the client's token on, and this one is bound: the upstream would have to take it unproved.",
                [
                    .configuration(
                        "\(facts.routeKey).upstream_credential", "assertion, exchange or none, in place of pass")
                ])
        case .refused(let refusal, _, let found, let row):
            self =
                facts.remedyForRequest(refusal, found) ?? facts.remedyForSession(refusal, row)
                ?? facts.remedyForToken(refusal, found, row) ?? facts.remedyForSender(refusal, found)
                ?? facts.remedyForRights(refusal) ?? facts.remedyForLogin(refusal, found)
                ?? facts.remedyForOperation(refusal, found)
        }
    }
}

extension Remedy.Step {
    static func client(_ text: String) -> Remedy.Step { Remedy.Step(place: .client, text: text) }
    static func server(_ text: String) -> Remedy.Step { Remedy.Step(place: .server, text: text) }
    static func front(_ text: String) -> Remedy.Step { Remedy.Step(place: .front, text: text) }
    static func machine(_ text: String) -> Remedy.Step { Remedy.Step(place: .machine, text: text) }

    /// The key to change, its new value, and when that is right.
    static func configuration(_ key: String, _ value: String, _ condition: String = "") -> Remedy.Step {
        Remedy.Step(place: .configuration, condition: condition, text: "set \(key): \(value)")
    }

    /// A change of the configuration that is no single key.
    static func configuration(_ text: String) -> Remedy.Step { Remedy.Step(place: .configuration, text: text) }
}

extension CheckFacts {
    /// `routes[2]`: the route that was found, or the one whose subtree the path seems to be in.
    var routeKey: String {
        if let index = evidence.route { return names.route(index) }
        let likely = settings.routes.indices.filter { evidence.path.hasPrefix(settings.routes[$0].path) }
            .max { settings.routes[$0].path.utf8.count < settings.routes[$1].path.utf8.count }
        return likely.map(names.route) ?? "routes[?]"
    }
    /// `issuers.main`.
    var issuerKey: String { evidence.issuer.map { names.issuer($0) } ?? "issuers.?" }
    var listenerKey: String { names.listener(evidence.listener) }

    /// A YAML list with quoted texts.
    func yaml(_ texts: [String]) -> String {
        "[\(texts.map { ShownText.quote($0) }.joined(separator: ", "))]"
    }

    /// What the two texts differ in, when that is one of the differences that eyes pass over.
    func nearMiss(_ one: String, _ other: String) -> String? {
        if one == other { return nil }
        if one + "/" == other || one == other + "/" { return "only by the slash at its end" }
        if one.lowercased() == other.lowercased() { return "only by capital letters" }
        let schemes = ["https://", "http://", "api://"]
        func bare(_ text: String) -> String {
            for scheme in schemes where text.hasPrefix(scheme) { return String(text.dropFirst(scheme.utf8.count)) }
            return text
        }
        if bare(one) == bare(other) { return "only by what stands before ://" }
        return nil
    }
}
