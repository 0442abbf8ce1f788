import Foundation
import TestSupport
import Testing

/// A stage with a collector of spans, which records and takes whatever is sent.
struct TraceStage: Sendable {
    let collector: RecordingUpstream
    let stage: Stage

    /// A gateway with these further settings of `tracing`; by `trusts` the tests' own address is a trusted peer.
    init(_ settings: String = "ratio: 100%", trusts: Bool = false, plan: StagePlan = StagePlan()) throws {
        collector = try RecordingUpstream(fallback: .answer(200, "{}"))
        var plan = plan
        let trusted = trusts ? ", trusted_trace: [127.0.0.0/8]" : ""
        plan.settings += "\ntracing: { endpoint: \"\(collector.url)\", \(settings)\(trusted) }"
        stage = try Stage(plan)
    }

    /// Forgets what was asked and exported.
    func reset() {
        stage.reset()
        collector.forget()
        collector.answerAll(with: .answer(200, "{}"))
    }

    /// The spans exported so far.
    var spans: [Span] { Self.spans(in: collector.now) }

    static func spans(in record: RecordingUpstream.Record) -> [Span] {
        record.requests.filter(\.isComplete).flatMap { request in
            guard request.fields.only("content-encoding") == "gzip" else { return Span.all(in: request.body) }
            return Span.all(in: gunzip(request.body) ?? [])
        }
    }

    /// The spans of the trace of a request with this id, once there are so many.
    func spans(ofRequest id: String, count: Int) -> [Span] {
        func found(_ spans: [Span]) -> [Span] {
            let trace = spans.first { $0.attributes["portcullis.request_id"] == id }?.trace
            return spans.filter { $0.trace == trace }
        }
        collector.waits { found(Self.spans(in: $0)).count >= count }
        return found(spans)
    }

    /// The id of a request that was just answered: its response says it, or its upstream was told.
    func id(of response: WireResponse) throws -> String {
        try #require(
            response.fields.only("x-request-id") ?? stage.upstream.requests.last?.fields.only("x-request-id"))
    }

    /// The value of a metric without labels, or with these as they are written.
    func metric(_ name: String) throws -> Int {
        let page = try stage.gateway.admin("/metrics").bodyText
        let line = page.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return Int(line?.split(separator: " ").last ?? "") ?? -1
    }
}

/// One span of an export request, as a reader of JSON finds it.
struct Span: Sendable {
    let trace: String
    let id: String
    let parent: String?
    let name: String
    let kind: Int
    let start: UInt64
    let end: UInt64
    let attributes: [String: String]
    let link: String?
    let isError: Bool

    static func all(in body: [UInt8]) -> [Span] {
        let value = try? JSONSerialization.jsonObject(with: Data(body))
        guard let resources = (value as? [String: Any])?["resourceSpans"] as? [[String: Any]] else { return [] }
        let scopes = resources.flatMap { $0["scopeSpans"] as? [[String: Any]] ?? [] }
        return scopes.flatMap { $0["spans"] as? [[String: Any]] ?? [] }.compactMap(Span.init)
    }

    private init?(_ span: [String: Any]) {
        guard let trace = span["traceId"] as? String, let id = span["spanId"] as? String,
            let name = span["name"] as? String, let kind = span["kind"] as? Int,
            let start = (span["startTimeUnixNano"] as? String).flatMap(UInt64.init),
            let end = (span["endTimeUnixNano"] as? String).flatMap(UInt64.init)
        else { return nil }
        (self.trace, self.id, self.name, self.kind, self.start, self.end) = (trace, id, name, kind, start, end)
        parent = span["parentSpanId"] as? String
        var attributes: [String: String] = [:]
        for attribute in span["attributes"] as? [[String: Any]] ?? [] {
            guard let key = attribute["key"] as? String, let value = attribute["value"] as? [String: String] else {
                continue
            }
            attributes[key] = value["stringValue"] ?? value["intValue"]
        }
        self.attributes = attributes
        let links = span["links"] as? [[String: String]] ?? []
        link = links.first.map { "\($0["traceId"] ?? "")-\($0["spanId"] ?? "")" }
        isError = (span["status"] as? [String: Int])?["code"] == 2
    }
}
