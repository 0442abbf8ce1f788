import Gateway
import JSON
import Refusals

/// A call of gRPC: which method of which service it names, and what its client is told where it is refused (H2-86).
struct ExplainedCall {
    /// The path has none where it is not `/Service/Method`.
    private let name: (service: String, method: String)?
    /// The status of a refusal under HTTP.
    private let status: Int?
    private let answer: CallAnswer?

    /// Nil for what is no call.
    init?(_ explanation: Explanation) {
        guard explanation.evidence.isCall else { return nil }
        let parts = explanation.evidence.path.split(separator: "/", omittingEmptySubsequences: false)
        let isName = parts.count == 3 && parts[0].isEmpty && !parts[1].isEmpty && !parts[2].isEmpty
        name = isName ? (service: String(parts[1]), method: String(parts[2])) : nil
        status = explanation.status
        if case .refused(let refusal, _, _, _) = explanation.verdict {
            answer = refusal.callAnswer
        } else {
            answer = nil
        }
    }

    /// Lines for whoever reads them; each ends.
    var text: String {
        let called =
            name.map { "method \(ShownText.plain($0.method)) of service \(ShownText.plain($0.service))" }
            ?? "its path names no method, for it is not /SERVICE/METHOD"
        guard let status else { return "a call of gRPC: \(called)\n" }
        let told =
            answer.map { "grpc-status \($0.status) \($0.name), \(ShownText.quote($0.message)), under HTTP status 200" }
            ?? "HTTP status \(status) alone, for it has to do something about its connection"
        return "a call of gRPC: \(called)\nits client is told: \(told)\n"
    }

    func write(_ writer: inout JSONWriter) {
        writer.name("call")
        writer.beginObject()
        if let name {
            writer.put("service", name.service)
            writer.put("method", name.method)
        }
        if let answer {
            writer.name("grpc_status")
            writer.integer(Int64(answer.status))
            writer.put("grpc_status_name", answer.name)
            writer.put("grpc_message", answer.message)
        }
        writer.endObject()
    }
}
