import Access
import Gateway
import Issuers

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

    init(_ diagnosis: String, _ steps: [Step]) {
        self.diagnosis = diagnosis
        self.steps = steps
    }

    init(_ diagnosis: String, _ steps: Step...) { self.init(diagnosis, steps) }

    /// Nil when nothing went wrong.
    init?(_ facts: CheckFacts) {
        switch facts.verdict {
        case .forwarded, .answered: return nil
        case .undecided(.keys, _): self = facts.issuerKeysUnavailable
        case .undecided(.introspection, _): self = facts.introspectionUnavailable
        case .undecided(.session, _), .undecided(.sessionTokens, _): self = facts.sessionUndecided
        case .undecided(.nonce, _), .undecided(.exchange, _), .undecided(.proof, _):
            self = facts.undecided
        case .refused(let refusal, let expected, _, let row):
            let remedy = facts[keyPath: LoggedRefusal(refusal, row: row).explained.remedy]
            self = remedy.naming(client: facts.loginClient, issuer: facts.loginIssuer).saying(expected)
        }
    }

    /// The same, with the names of the client and of its issuer where a step says which key to change; where nobody knows
    /// whose login it was, with words in their place.
    private func naming(client: String?, issuer: String?) -> Remedy {
        Remedy(
            diagnosis,
            steps.map { step in
                var step = step
                step.text = Self.fill(step.text, "clients.CLIENT.", client, "the login's client")
                step.text = Self.fill(step.text, "issuers.ISSUER.", issuer, "the login's issuer")
                step.text = step.text.replacing("CLIENT", with: client ?? "and the client's name")
                return step
            })
    }

    /// The same, with what was wanted where a diagnosis would end in what was found and nothing was.
    private func saying(_ expected: String) -> Remedy {
        for nothing in [": none.", ": absent.", ": ."] where diagnosis.hasSuffix(nothing) {
            let wanted = expected.isEmpty ? "." : ": \(ShownText.plain(expected)) was wanted, and there was none."
            return Remedy(diagnosis.dropLast(nothing.count) + wanted, steps)
        }
        return self
    }

    /// `clients.CLIENT.dpop` as `clients.shop.dpop`, or as `dpop of the login's client`.
    private static func fill(_ text: String, _ place: String, _ name: String?, _ owner: String) -> String {
        let kind = place.prefix { $0 != "." }
        if let name { return text.replacing(place, with: "\(kind).\(name).") }
        var parts = text.split(separator: place, omittingEmptySubsequences: false).map(String.init)
        for index in parts.indices.dropFirst() {
            let key = parts[index].prefix { $0.isLetter || $0 == "_" || $0 == "." }
            parts[index] = "\(key) of \(owner)" + parts[index].dropFirst(key.count)
        }
        return parts.joined()
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
    fileprivate var undecided: Remedy { Remedy("This could not be found out: \(ShownText.plain(found)).") }

    fileprivate var sessionUndecided: Remedy {
        Remedy(
            "This could not be found out here: \(ShownText.plain(found)).",
            .machine("ask the running gateway with --request-id (explain_buffer keeps requests)"))
    }

    /// `routes[2]`: the route that was found, or the one whose subtree the path seems to be in.
    var routeKey: String {
        if let index = evidence.route { return names.route(index) }
        let likely = settings.routes.indices.filter { evidence.path.hasPrefix(settings.routes[$0].path) }
            .max { settings.routes[$0].path.utf8.count < settings.routes[$1].path.utf8.count }
        // Where no route is near, the first has the key as any other.
        return names.route(likely ?? 0)
    }
    /// `issuers.main`: the token's, or the one that the route's tokens come from.
    var issuerKey: String { "issuers.\(issuerName)" }
    /// `main`.
    var issuerName: String {
        issuer?.name ?? policy?.issuers.first ?? loginIssuer ?? settings.issuers.first?.name ?? "main"
    }
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
