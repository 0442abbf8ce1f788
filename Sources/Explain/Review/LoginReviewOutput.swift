import Access
import Gateway
import JSON
import OAuth
import Refusals

extension LoginReview {
    /// The review as an operator reads it in a terminal; ends with a line end.
    package var text: String {
        var text = isSuitable ? "SUITABLE" : "UNSUITABLE"
        text += "  \(client) at \(ShownText.plain(issuer))\n\n"
        for line in lines {
            let state = line.problems.isEmpty ? "ok" : line.isWarning ? "note" : "FAILED"
            text += Self.pad(state, 13) + Self.pad(line.title, 24) + line.configured + "\n"
            if line.problems.isEmpty { text += Self.pad("", 37) + "server  \(line.offered)\n" }
            for problem in line.problems {
                text +=
                    Self.pad("", 37)
                    + "\(ShownText.plain(problem.configured)), and \(ShownText.plain(problem.offered, limit: 400))"
                text += "  [\(problem.check)]\n"
            }
            for remedy in line.remedies { text += Self.pad("", 37) + "- \(remedy)\n" }
        }
        text += Self.section(Self.registrationTitle(clientID), registration)
        text += Self.section("\nThe authorization request, \(form):", request)
        text += Self.section("\nEndpoints:", endpoints)
        text += "\nKeys published:\n" + (keys.isEmpty ? "  none\n" : keys.map { "  \(ShownText.plain($0))\n" }.joined())
        text += "\nSession: cookie \(cookieName)\(cookieDomain.map { " of all hosts under \($0)" } ?? ""), "
        guard let size else { return text + "kept in this gateway's memory\n" }
        return text + "about \(size.bytes) bytes in \(size.cookies) of at most 4 cookies (\(size.of))\n"
    }

    /// The line above what is to be registered.
    static func registrationTitle(_ clientID: String) -> String {
        "\nTo register at the server for client_id \(ShownText.plain(clientID)):"
    }

    static func section(_ title: String, _ pairs: [(name: String, value: String)]) -> String {
        title + "\n"
            + pairs.map { "  " + pad($0.name, 34) + ShownText.plain($0.value, limit: 2000) + "\n" }.joined()
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    /// The same for programs, as one JSON object.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.put("verdict", isSuitable ? "suitable" : "unsuitable")
        for (name, value) in [("client", client), ("client_id", clientID), ("issuer", issuer), ("form", form)] {
            writer.put(name, value)
        }
        writer.name("checks")
        writer.beginArray()
        for line in lines { write(line, &writer) }
        writer.endArray()
        for (name, pairs) in [("register", registration), ("request", request), ("endpoints", endpoints)] {
            writer.put(name, pairs)
        }
        writer.put("keys", keys)
        writer.put("cookie", cookieName)
        if let cookieDomain { writer.put("cookie_domain", cookieDomain) }
        if let size {
            writer.name("session_bytes")
            writer.integer(Int64(size.bytes))
            writer.name("session_cookies")
            writer.integer(Int64(size.cookies))
        }
        writer.endObject()
        return writer.finish()
    }

    private func write(_ line: Line, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.put("name", line.title)
        writer.put("state", line.problems.isEmpty ? "ok" : line.isWarning ? "note" : "failed")
        writer.put("configured", line.configured)
        writer.put("offered", line.offered)
        writer.name("problems")
        writer.beginArray()
        for problem in line.problems {
            writer.beginObject()
            writer.put("row", problem.check)
            writer.put("configured", problem.configured)
            writer.put("offered", problem.offered)
            writer.endObject()
        }
        writer.endArray()
        writer.put("change", line.remedies)
        writer.endObject()
    }
}
