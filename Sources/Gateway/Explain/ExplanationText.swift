// SPDX-License-Identifier: Apache-2.0
import JSON

extension Explanation {
    /// The explanation as an operator reads it in a terminal; ends with a line end.
    ///
    ///     REFUSED  401  token_audience_missing
    ///
    ///     ok           Host                    "shop.example.com"
    ///     FAILED       aud                     seen    "https://api.example.com"
    ///                                          wanted  one of "https://shop.example.com/api"
    ///                                          see     RFC 9068 §4
    ///     not reached  scope                   wanted all of "orders:read"
    package var text: String {
        var text = heading + "\n\n"
        for line in lines { text += Self.text(of: line) }
        text += "\n" + takenApart
        if case .forwarded(let injected) = verdict {
            text += "The upstream would get these fields of ours:\n"
            text += injected.isEmpty ? "  none\n" : injected.map { "  \($0.name): \($0.value)\n" }.joined()
        }
        guard let remedy else { return text }
        text += "What is wrong\n" + Self.wrap(remedy.diagnosis, indent: 2)
        if !remedy.steps.isEmpty { text += "\nWhat to change, one of\n" }
        for (index, step) in remedy.steps.enumerated() {
            text += Self.wrap("\(index + 1). \(step.place.rawValue): \(step.text)", indent: 2, hang: 5)
        }
        return text
    }

    private var heading: String {
        let request =
            evidence.method.isEmpty
            ? "a request that could not be read"
            : ShownText.plain("\(evidence.method) \(evidence.target)", limit: 400) + " for "
                + ShownText.plain(evidence.authority)
        let first: String
        switch verdict {
        case .forwarded: first = "FORWARDED"
        case .answered: first = "ANSWERED BY THE GATEWAY  204"
        case .refused(let refusal, _, _, let row):
            first = "REFUSED  \(refusal.status)  \(refusal.word)  (cause in the log; check \(row))"
        case .undecided(let check, _): first = "NOT KNOWN  \(check.title) could not be checked"
        }
        return "\(first)\n\(request), from \(evidence.peer), at \(UnixTime.text(now))"
    }

    private static func text(of line: Line) -> String {
        let beginning = pad(line.state.rawValue, 13) + pad(line.check.title, 24)
        switch line.state {
        case .passed:
            let seen = line.seen.isEmpty ? line.wanted : line.seen
            return wrap(beginning + "\(seen)  [\(line.check.section)]", indent: 0, hang: 37)
        case .failed, .undecided:
            var text = wrap(beginning + "seen    \(line.seen.isEmpty ? "-" : line.seen)", indent: 0, hang: 45)
            text += wrap("wanted  \(line.wanted)", indent: 37, hang: 45)
            return text + wrap("see     \(line.check.section)", indent: 37, hang: 45)
        case .notReached:
            let seen = line.seen.isEmpty ? "" : "\(line.seen)  "
            return wrap(beginning + "\(seen)[\(line.check.section)]", indent: 0, hang: 37)
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
            text += Self.wrap("header \(ShownText.json(token.header, limit: 2000))", indent: 2, hang: 9)
            text += Self.wrap("claims \(ShownText.json(token.claims, limit: 8000))", indent: 2, hang: 9) + "\n"
        }
        return text
    }

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
            output += word
            column += word.count
            isFirst = false
        }
        return output + "\n"
    }
}
