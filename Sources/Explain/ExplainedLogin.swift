import Access
import Bytes
import Gateway
import JSON
import Telemetry

/// What an explanation says of a request's login: where it is sent, and what it brought.
extension Explanation {
    static func loginWords(_ verdict: Verdict, _ facts: CheckFacts) -> [String] {
        guard case .refused(let refusal, _, _, _) = verdict, let start = facts.evidence.loginStart,
            refusal.template == .login || refusal.template == .stepUp && facts.usesSession
        else { return [] }
        var words: [String] = []
        if start.isRedirect {
            words.append("as        a page that somebody waits for: \(facts.navigationReason)")
            words.append(
                start.keepsForm
                    ? "answer    200, a page that keeps the form in the browser and goes on to \(start.path)"
                    : "answer    303, Location: \(start.path)")
        } else {
            words.append("as        something that no person waits for: \(facts.navigationReason)")
            words.append(
                "answer    401, {\"error\":\"login_required\",\"login\":\"\(facts.publicURL)\(start.path)\"}")
        }
        if let target = start.returnTo { words.append("return_to \(ShownText.quote(target, limit: 400))") }
        if start.stepUp >= 0, let wishes = facts.loginAccess?.rights {
            var asked: [String] = []
            if !wishes.acrValues.isEmpty { asked.append("acr_values \(wishes.acrValues.joined(separator: " "))") }
            if let age = wishes.maximumAge { asked.append("max_age \(age.wholeSeconds)") }
            words.append("step_up   \(start.stepUp), which asks for \(asked.joined(separator: " and "))")
        }
        if start.keepsForm { words.append("form      sent again after the login") }
        return words
    }

    func write(_ start: LoginStartEvidence, _ writer: inout JSONWriter) {
        writer.name("login")
        writer.beginObject()
        writer.name("path")
        writer.string(start.path)
        writer.name("is_navigation")
        writer.bool(start.isRedirect)
        if let target = start.returnTo {
            writer.name("return_to")
            writer.string(target)
        }
        if start.stepUp >= 0 {
            writer.name("step_up")
            writer.integer(Int64(start.stepUp))
        }
        writer.name("keeps_form")
        writer.bool(start.keepsForm)
        writer.endObject()
    }

    func write(_ session: SessionEvidence, _ writer: inout JSONWriter) {
        writer.name("session")
        writer.beginObject()
        writer.name("cookie")
        writer.string(session.cookieName)
        writer.name("cookies")
        writer.integer(Int64(session.cookieCount))
        writer.name("bytes")
        writer.integer(Int64(session.bytes))
        writer.name("lives")
        writer.bool(session.lives)
        if session.lives {
            writer.name("sub")
            writer.string(session.subject)
            writer.name("since")
            writer.string(UnixTime.text(session.createdAt))
            writer.name("until")
            writer.string(UnixTime.text(session.endsAt))
        }
        writer.endObject()
    }
}
