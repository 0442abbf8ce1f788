import Crypto
import Gateway
import Telemetry

/// `tracing`: which requests are recorded as spans, and where those go.
enum TracingSection {
    private static let table = SettingTable(
        "the settings of traces", defaults: TracingSettings(endpoint: ""),
        [
            .key(
                "endpoint", .text(URLText.collector), .required, example: "http://127.0.0.1:4318",
                "The base of the collector's URLs (OTLP over HTTP); spans go to /v1/traces below it."),
            .key(
                "ratio", .text(RatioText.shape), .standard(RatioText.text(TracingSettings.standardRatio)),
                "The part of the traces that begin here which is sampled, decided by the trace's id."),
            .word(
                "errors", \.errors, [("sampled", .sampledAlone), ("all", .all)],
                "Whether refusals and answers above 499 are recorded that are not sampled, up to ten a second and worker."
            ),
            .key(
                "trusted_trace",
                .list(ListShape(noun: "networks", element: .text(NetworkText.ofTracers), count: 1...64)), .optional,
                example: "[10.0.0.0/8]",
                "Networks whose traceparent is continued and whose decision holds; of others it is a link alone."),
            .flag(
                "trace_outbound", \.tracesOutbound,
                "Whether authorization servers are told the trace of the request that they are asked for."),
            .key(
                "service", .text(PlainText.printable("a name such as shop-gateway", limit: 128)),
                .standard(TracingSettings(endpoint: "").service), "What this gateway is called there (service.name)."),
            .word(
                "compression", \.compression, [("none", .plain), ("gzip", .gzip)],
                "How spans are sent; gzip is for a collector behind a network that costs something."),
            .key(
                "headers",
                .entries(
                    EntriesShape(
                        noun: "field names to values", name: FieldNameText.ofExport,
                        value: .object(SecretReference.shape(noun: "a reference to a value")), count: 1...16,
                        example: "{ file: /run/secrets/collector.secret }")),
                .optional, example: "{ Authorization: { file: /run/secrets/collector.secret } }",
                "Fields for the collector, such as its key; their values stand in files or in the environment."),
            .key(
                "certificate_authority", .text(PlainText.file), .optional, example: "/etc/portcullis/internal-ca.pem",
                "PEM file with the authorities that may sign the collector's certificate; the system's by default."),
        ])
    static let shape = table.shape

    static func translate(_ object: CheckedObject?, _ translation: Translation) -> TracingSettings? {
        guard let object else { return nil }
        let authority = translation.certificateAuthority(object)
        let fields = fields(object, translation)
        guard let endpoint = object.text("endpoint"), let address = WebAddress(endpoint.text) else { return nil }
        Repetition.refuse(object.texts("trusted_trace"), translation.problems)
        if !address.isSecure {
            if object.says("certificate_authority") {
                translation.problems.error(
                    at: object.place(of: "certificate_authority"), expected: "an https endpoint",
                    found: Quoted.text(endpoint.text), remedy: "write https, or leave certificate_authority out")
            }
            if object.says("headers"), !IPAddress.isLoopback(address.host) {
                translation.problems.error(
                    at: object.place(of: "headers"), expected: "an https endpoint, or one on loopback, beside headers",
                    found: Quoted.text(endpoint.text),
                    remedy: "write https: whoever sees the traffic could use the values")
            }
        }
        var settings = TracingSettings(endpoint: endpoint.text)
        table.read(object, into: &settings)
        if let ratio = object.text("ratio").flatMap({ RatioText.millionths($0.text) }) {
            settings.ratio = TraceRatio(millionths: ratio)
        }
        settings.trustedPeers = object.texts("trusted_trace").map(\.text)
        if let service = object.text("service") { settings.service = service.text }
        settings.fields = fields
        settings.certificateAuthorityFile = authority
        return settings
    }

    private static func fields(_ object: CheckedObject, _ translation: Translation) -> [(name: String, value: Secret)] {
        object.entries("headers").compactMap { entry in
            guard let reference = entry.value?.object,
                let value = SecretReference.resolve(
                    reference, translation, noun: "a field's value", sensitivity: .secret, limit: 4096)
            else { return nil }
            let bytes = SecretReference.line(value.bytes)
            guard !bytes.isEmpty, bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                translation.problems.error(
                    at: value.place, expected: "a field's value in one line of printable ASCII",
                    found: bytes.isEmpty ? "nothing" : "line breaks or other characters",
                    remedy: "put the value alone there; one line break at the end is fine")
                return nil
            }
            return (entry.name, Secret(bytes))
        }
    }

    /// `trace_ratio` of a route.
    static func ratio(of route: CheckedObject) -> TraceRatio? {
        route.text("trace_ratio").flatMap { RatioText.millionths($0.text) }.map { TraceRatio(millionths: $0) }
    }

    /// A route's ratio says nothing where nobody records anything.
    static func judgeRoutes(_ document: CheckedObject, _ problems: ProblemList) {
        guard !document.says("tracing") else { return }
        for route in document.list("routes").compactMap(\.object) where route.says("trace_ratio") {
            problems.error(
                at: route.place(of: "trace_ratio"), expected: "tracing beside trace_ratio", found: "none",
                remedy: "add  tracing: { endpoint: http://127.0.0.1:4318 } , or leave trace_ratio out")
        }
    }
}

/// A part of a whole: percent, with up to four digits behind the point.
enum RatioText {
    static let shape = TextShape(
        expected: "a percentage such as 10% or 0.5%", pattern: "^(100|[0-9]{1,2}(\\.[0-9]{1,4})?)%$"
    ) { text in
        millionths(text) == nil ? TextFault(remedy: "write a number from 0 to 100 with % behind it") : nil
    }

    /// So many of a million.
    static func millionths(_ text: String) -> Int? {
        guard text.hasSuffix("%") else { return nil }
        let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        let areDigits = parts.allSatisfy { part in !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard (1...2).contains(parts.count), areDigits, parts[0].utf8.count <= 3, let whole = Int(parts[0]) else {
            return nil
        }
        var fraction = parts.count == 2 ? String(parts[1]) : ""
        guard fraction.utf8.count <= 4 else { return nil }
        fraction += String(repeating: "0", count: 4 - fraction.utf8.count)
        let millionths = whole * 10_000 + (Int(fraction) ?? 0)
        return millionths <= 1_000_000 ? millionths : nil
    }

    /// Whole percents of a million, as they are written.
    static func text(_ millionths: Int) -> String { "\(millionths / 10_000)%" }
}
