import Access
import Gateway
import JSON
import Telemetry

extension Explanation {
    /// The explanation as an operator reads it in a terminal; ends with a line end.
    ///
    ///     REFUSED  401  token_audience_missing  RS-13
    ///
    ///     ok           Host                    "shop.example.com"
    ///     FAILED       aud                     seen    "https://api.example.com"
    ///                                          wanted  one of "https://shop.example.com/api"
    ///                                          see     RFC 9068 §4
    ///     not reached  scope                   wanted all of "orders:read"
    package var text: String {
        var text = heading + "\n" + (ExplainedCall(self)?.text ?? "") + "\n" + advice
        var rest = lines[...]
        while let line = rest.first {
            let group = rest.prefix { $0.isLike(line) }
            text += Self.text(of: Array(group))
            rest = rest.dropFirst(group.count)
        }
        text += "\n" + takenApart
        if !loginWords.isEmpty {
            text +=
                "Where it is sent to log in:\n" + loginWords.map { Self.wrap($0, indent: 2, hang: 13) }.joined() + "\n"
        }
        if case .forwarded(let injected) = verdict {
            text += "The upstream gets these fields of the gateway's:\n"
            text += injected.isEmpty ? "  none\n" : injected.map { "  \($0.name): \($0.value)\n" }.joined()
        }
        return text
    }

    /// What becomes of a WebSocket's handshake where the route lets none through: its client sees a strange answer.
    static let goesOnAsGET = "this goes on as a plain GET"

    /// A whole explanation without the checks that passed, that nothing was to be seen of or that were not reached, and
    /// without the token taken apart: what is left is what is wrong, or surprises, and what to change.
    ///
    /// Of the text, for a running gateway gives no more than that.
    package static func brief(_ text: String) -> String {
        let others = [State.passed, .notReached, .notNeeded].map { pad($0.rawValue, 13) }
        let kept = [State.failed, .undecided].map { pad($0.rawValue, 13) }
        let sections = ["Where it is sent to log in:", "The upstream gets these fields of the gateway's:"]
        var shown: [Substring] = []
        var (isShown, isAmongChecks, isBehindChecks) = (true, false, false)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if isAmongChecks, line.isEmpty { (isAmongChecks, isBehindChecks, isShown) = (false, true, false) }
            if isBehindChecks {
                if sections.contains(where: { line == $0 }) {
                    shown.append("")
                    isShown = true
                } else if line.isEmpty {
                    isShown = false
                }
            } else if others.contains(where: line.hasPrefix) {
                (isAmongChecks, isShown) = (true, line.contains(goesOnAsGET))
            } else if kept.contains(where: line.hasPrefix) {
                (isAmongChecks, isShown) = (true, true)
            }
            if isShown { shown.append(line) }
        }
        while shown.last?.isEmpty == true { shown.removeLast() }
        return shown.joined(separator: "\n") + "\n"
    }

    /// What is wrong and what to change: first of all, for whoever reads this in the night.
    private var advice: String {
        if let notLookedAt { return Self.wrap("Not looked at: \(notLookedAt).", indent: 0) + "\n" }
        guard let remedy else { return "" }
        var text = Self.wrap(remedy.diagnosis, indent: 0) + "\n"
        guard !remedy.steps.isEmpty else { return text }
        text += remedy.steps.count == 1 ? "To change:\n" : "To change, one of these:\n"
        for step in remedy.steps {
            let condition = step.condition.isEmpty ? "" : ", \(step.condition)"
            text += Self.wrap("- \(step.place.rawValue)\(condition): \(step.text)", indent: 2, hang: 4)
        }
        return text + "\n"
    }

    private var heading: String {
        let version = evidence.isHTTP2 ? " over HTTP/2" : ""
        let request =
            evidence.method.isEmpty
            ? "a request that could not be read" + version
            : ShownText.plain("\(evidence.method) \(evidence.target)", limit: 400) + " for "
                + ShownText.plain(evidence.authority) + version
                + (names.hasListeners ? " at \(names.listener(evidence.listener))" : "")
        let first: String
        switch verdict {
        case .forwarded: first = "FORWARDED"
        case .answered:
            first = "ANSWERED BY THE GATEWAY  \(evidence.ownAnswerWords.isEmpty ? "204" : evidence.ownAnswerWords)"
        case .refused(let refusal, _, _, let row):
            first = "\((status ?? 0) < 400 ? "SENT TO LOG IN" : "REFUSED")  \(status ?? 0)  \(refusal.word)  \(row)"
        case .undecided(let question, _):
            let title = Check.table.first { $0.id == Check.ID(question) }?.title ?? ""
            first = "NOT KNOWN  \(title) could not be checked"
        }
        let judge = isByEarlierConfiguration ? ", by a configuration that was replaced since" : ""
        let names = remembered.map { "\n\($0.member) \($0.text)" }.joined()
        return "\(first)\n\(request), from \(evidence.peer), at \(UnixTime.text(now))\(judge)\(names)"
    }

    /// One line, or several that say the same and share a line.
    private static func text(of group: [Line]) -> String {
        guard let line = group.first else { return "" }
        let beginning = pad(line.state.rawValue, 13) + pad(line.title, 24)
        // Kept in one piece where lines are broken.
        let section = "  [\(line.section.split(separator: " ").joined(separator: hardSpace))]"
        guard group.count == 1 else {
            let titles = group.map(\.title).joined(separator: ", ")
            return wrap(
                pad(line.state.rawValue, 13) + titles + (line.wanted.isEmpty ? "" : ": \(line.wanted)"), indent: 0,
                hang: 13)
        }
        switch line.state {
        case .passed:
            return wrap(beginning + (line.seen.isEmpty ? line.wanted : line.seen) + section, indent: 0, hang: 37)
        case .failed, .undecided:
            return wrap(beginning + "seen    \(line.seen.isEmpty ? "-" : line.seen)", indent: 0, hang: 45)
                + wrap("wanted  \(line.wanted)", indent: 37, hang: 45)
                + wrap("see     \(line.section)", indent: 37, hang: 45)
        case .notReached:
            let seen = line.seen.isEmpty ? "" : line.seen + "; "
            return wrap(beginning + "\(seen)wanted \(line.wanted)" + section, indent: 0, hang: 37)
        case .notNeeded: return wrap(beginning + line.wanted, indent: 0, hang: 37)
        }
    }

    /// The token and the proof, decoded, without their signatures.
    private var takenApart: String {
        var text = ""
        for (name, token) in [("Token", evidence.token)] + evidence.proofs.map({ ("Proof", $0) }) {
            guard let token else { continue }
            guard token.header != nil || token.claims != nil else {
                text += "\(name) \(token.digest): \(token.bytes) bytes that cannot be taken apart\n\n"
                continue
            }
            text += "\(name) \(token.digest), its signature left out\n"
            if let header = token.header { text += "  header \(ShownText.json(header, limit: 4000))\n" }
            if let claims = token.claims { text += "  claims \(ShownText.json(claims, limit: 16_000))\n" }
            text += "\n"
        }
        return text
    }

    private static let hardSpace = "\u{A0}"

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    /// Lines of at most 120 letters where there are spaces to break at.
    private static func wrap(_ text: String, indent: Int, hang: Int? = nil) -> String {
        let hang = hang ?? indent
        var output = String(repeating: " ", count: indent)
        var column = indent
        var isFirst = true
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let needed = word.count + (isFirst ? 0 : 1)
            if !isFirst, column + needed > 120, column > hang {
                output += "\n" + String(repeating: " ", count: hang)
                column = hang
            } else if !isFirst {
                output += " "
                column += 1
            }
            output += word.replacing(hardSpace, with: " ")
            column += word.count
            isFirst = false
        }
        return output + "\n"
    }
}

extension Explanation.Line {
    /// Whether two lines may share one: what was not needed for one reason, and what was not reached and has nothing
    /// to show.
    fileprivate func isLike(_ other: Explanation.Line) -> Bool {
        if check == other.check { return true }
        guard state == other.state else { return false }
        switch state {
        case .notNeeded: return wanted == other.wanted
        case .notReached: return seen.isEmpty && other.seen.isEmpty && wanted.isEmpty && other.wanted.isEmpty
        case .passed, .failed, .undecided: return false
        }
    }
}
