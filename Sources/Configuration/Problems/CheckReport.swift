import Access
package import Gateway
import Issuers
import JSON

/// What `check` found, for programs: one JSON object.
package struct CheckReport: Sendable {
    private let file: String
    private let problems: [Problem]
    private let settings: GatewaySettings?
    private let notes: [String]

    /// Of a configuration that loads; `notes` are about this run rather than about the configuration.
    package init(file: String, _ loaded: LoadedConfiguration, notes: [String]) {
        self.file = file
        problems = loaded.warnings
        settings = loaded.settings
        self.notes = notes
    }

    /// Of one that does not.
    package init(file: String, _ refusal: ConfigurationRefusal) {
        self.file = file
        switch refusal {
        case .problems(let problems): self.problems = problems
        }
        settings = nil
        notes = []
    }

    /// The object, without a line end.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("valid")
        writer.bool(settings != nil)
        put("file", file, &writer)
        writer.name("problems")
        writer.beginArray()
        for problem in problems { write(problem, &writer) }
        writer.endArray()
        writer.name("notes")
        writer.beginArray()
        for note in notes { writer.string(note) }
        writer.endArray()
        if let settings { write(settings, &writer) }
        writer.endObject()
        return writer.finish()
    }

    private func write(_ problem: Problem, _ writer: inout JSONWriter) {
        writer.beginObject()
        put("severity", problem.severity == .error ? "error" : "warning", &writer)
        if let position = problem.position {
            if let file = position.file { put("file", file, &writer) }
            for (name, number) in [("line", position.line), ("column", position.column)] {
                writer.name(name)
                writer.integer(Int64(number))
            }
        }
        put("path", problem.path, &writer)
        put("expected", problem.expected, &writer)
        put("found", problem.found, &writer)
        put("remedy", problem.remedy, &writer)
        writer.endObject()
    }

    private func write(_ settings: GatewaySettings, _ writer: inout JSONWriter) {
        writer.name("listeners")
        writer.beginArray()
        for listener in settings.listeners {
            writer.beginObject()
            put("address", listener.address.text, &writer)
            writer.name("tls")
            writer.bool(listener.tls != nil)
            put("public_url", listener.publicURL, &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.name("issuers")
        writer.beginArray()
        for issuer in settings.issuers {
            writer.beginObject()
            put("name", issuer.name, &writer)
            put("url", issuer.url, &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.name("register")
        writer.beginArray()
        for address in LoginAddresses.all(settings) {
            writer.beginObject()
            put("login", address.login, &writer)
            put("name", address.name, &writer)
            put("value", address.url, &writer)
            writer.endObject()
        }
        writer.endArray()
        for (name, number) in [("routes", settings.routes.count), ("public_routes", settings.publicRoutes)] {
            writer.name(name)
            writer.integer(Int64(number))
        }
    }

    private func put(_ name: String, _ value: String, _ writer: inout JSONWriter) {
        writer.name(name)
        writer.string(value)
    }
}

extension GatewaySettings {
    /// Routes that everybody may use.
    package var publicRoutes: Int {
        routes.count { if case .publicAccess = $0.access { true } else { false } }
    }
}
