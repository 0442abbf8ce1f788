import HTTPMessage
import JSON

/// A refusal as programs read it (RFC 9457): no more than status and fields say.
package enum Problem {
    /// The fields that it is sent with.
    package static let fields = [("Content-Type", "application/problem+json"), ("Cache-Control", "no-store")]

    /// The document about a refusal.
    ///
    /// `login` is where a session begins, for who needs one: the members that scripts know come with it.
    package static func document(
        _ refusal: Refusal, requestID: String, decisionID: String, login: String? = nil
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("type")
        writer.string("about:blank")
        writer.name("title")
        writer.string("\(Status.reason(refusal.status))")
        writer.name("status")
        writer.integer(Int64(refusal.status))
        // What a challenge says too; the other causes are the operator's to know.
        if let detail = refusal.clientDescription {
            writer.name("detail")
            writer.string(detail)
        }
        writer.name("request_id")
        writer.string(requestID)
        writer.name("decision_id")
        writer.string(decisionID)
        if let login {
            writer.name("error")
            writer.string("\(refusal.word)")
            writer.name("login")
            writer.string(login)
        }
        writer.endObject()
        return writer.finish()
    }
}
