import Access
import Gateway
import JSON
import Telemetry

extension Explanation {
    /// The explanation for programs: the same as `text`, as one JSON object.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        put("verdict", word, &writer)
        if case .refused(let refusal, let expected, let found, let row) = verdict {
            writer.name("status")
            writer.integer(Int64(status ?? Int(refusal.status)))
            put("cause", "\(refusal.word)", &writer)
            put("check", row, &writer)
            put("blame", refusal.blame.rawValue, &writer)
            put("expected", expected, &writer)
            put("found", found, &writer)
        }
        put("time", UnixTime.text(now), &writer)
        for name in remembered { put(name.member, name.text, &writer) }
        if isByEarlierConfiguration { put("configuration", "replaced", &writer) }
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
                put("name", field.name, &writer)
                put("value", field.value, &writer)
                writer.endObject()
            }
            writer.endArray()
        }
        if let notLookedAt { put("not_looked_at", notLookedAt, &writer) }
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

    private func put(_ name: String, _ value: String, _ writer: inout JSONWriter) {
        writer.name(name)
        writer.string(value)
    }

    private func writeRequest(_ writer: inout JSONWriter) {
        writer.name("request")
        writer.beginObject()
        put("method", evidence.method, &writer)
        put("target", evidence.target, &writer)
        put("authority", evidence.authority, &writer)
        put("listener", names.listener(evidence.listener), &writer)
        put("client", evidence.peer, &writer)
        if let route = evidence.route { put("route", names.route(route), &writer) }
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
        put("digest", token.digest, &writer)
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
        put("name", line.title, &writer)
        put("state", line.state.rawValue.lowercased().split(separator: " ").joined(separator: "_"), &writer)
        if line.state == .notNeeded {
            put("reason", line.wanted, &writer)
        } else {
            put("seen", line.seen, &writer)
            put("wanted", line.wanted, &writer)
        }
        put("section", line.section, &writer)
        writer.endObject()
    }

    private func write(_ remedy: Remedy, _ writer: inout JSONWriter) {
        put("wrong", remedy.diagnosis, &writer)
        writer.name("change")
        writer.beginArray()
        for step in remedy.steps {
            writer.beginObject()
            put("where", step.place.rawValue, &writer)
            if !step.condition.isEmpty { put("condition", step.condition, &writer) }
            put("what", step.text, &writer)
            writer.endObject()
        }
        writer.endArray()
    }
}
