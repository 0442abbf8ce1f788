import Access
import Gateway
import JSON
import Telemetry

extension Explanation {
    /// The explanation for programs: the same as `text`, as one JSON object.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.put("verdict", word)
        if case .refused(let refusal, let expected, let found, let row) = verdict {
            writer.name("status")
            writer.integer(Int64(status ?? Int(refusal.status)))
            writer.put("cause", "\(refusal.word)")
            writer.put("check", row)
            writer.put("blame", refusal.blame.rawValue)
            writer.put("expected", expected)
            writer.put("found", found)
        }
        writer.put("time", UnixTime.text(now))
        for name in remembered { writer.put(name.member, name.text) }
        if isByEarlierConfiguration { writer.put("configuration", "replaced") }
        writeRequest(&writer)
        writer.name("checks")
        writer.beginArray()
        for line in lines { write(line, &writer) }
        writer.endArray()
        if case .forwarded(let injected) = verdict {
            writer.name("injected")
            writer.beginArray()
            for field in injected {
                writer.beginObject()
                writer.put("name", field.name)
                writer.put("value", field.value)
                writer.endObject()
            }
            writer.endArray()
        }
        if let notLookedAt { writer.put("not_looked_at", notLookedAt) }
        if let start = evidence.loginStart, !loginWords.isEmpty { write(start, &writer) }
        if let remedy { write(remedy, &writer) }
        writer.endObject()
        return writer.finish()
    }

    private var word: String {
        switch verdict {
        case .forwarded: "forwarded"
        case .answered: "answered"
        case .refused: "refused"
        case .undecided: "not_known"
        }
    }

    private func writeRequest(_ writer: inout JSONWriter) {
        writer.name("request")
        writer.beginObject()
        writer.put("method", evidence.method)
        writer.put("target", evidence.target)
        writer.put("authority", evidence.authority)
        writer.put("listener", names.listener(evidence.listener))
        writer.put("client", evidence.peer)
        if evidence.isHTTP2 { writer.put("protocol", "h2") }
        ExplainedCall(self)?.write(&writer)
        if let route = evidence.route { writer.put("route", names.route(route)) }
        if let token = evidence.token {
            writer.name("token")
            write(token, &writer)
        }
        if let session = evidence.session { write(session, &writer) }
        writer.name("proofs")
        writer.beginArray()
        for proof in evidence.proofs { write(proof, &writer) }
        writer.endArray()
        writer.endObject()
    }

    private func write(_ token: TokenEvidence, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.put("digest", token.digest)
        writer.name("bytes")
        writer.integer(Int64(token.bytes))
        if let header = token.header {
            writer.name("header")
            writer.value(header)
        }
        if let claims = token.claims {
            writer.name("claims")
            writer.value(claims)
        }
        writer.endObject()
    }

    private func write(_ line: Line, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.put("name", line.title)
        writer.put("state", line.state.rawValue.lowercased().split(separator: " ").joined(separator: "_"))
        if line.state == .notNeeded {
            writer.put("reason", line.wanted)
        } else {
            writer.put("seen", line.seen)
            writer.put("wanted", line.wanted)
        }
        writer.put("section", line.section)
        writer.endObject()
    }

    private func write(_ remedy: Remedy, _ writer: inout JSONWriter) {
        writer.put("wrong", remedy.diagnosis)
        writer.name("change")
        writer.beginArray()
        for step in remedy.steps {
            writer.beginObject()
            writer.put("where", step.place.rawValue)
            if !step.condition.isEmpty { writer.put("condition", step.condition) }
            writer.put("what", step.text)
            writer.endObject()
        }
        writer.endArray()
    }
}
