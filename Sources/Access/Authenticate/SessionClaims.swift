import Bytes
package import JSON
import OAuth
package import Sessions

/// The claims that routes ask of a session, as they would be in an access token.
package enum SessionClaims {
    /// The session's own, with `scope` and `client_id` where it does not have them.
    package static func value(of session: Session, clientID: String) -> JSONValue {
        let own = (try? JSONValue.parse(session.claims.span, limits: .filled(to: session.claims.count)))?.members ?? []
        var writer = JSONWriter()
        writer.beginObject()
        for member in own where member.name != "scope" && member.name != "client_id" {
            writer.name(member.name)
            writer.value(member.value)
        }
        writer.name("scope")
        writer.string(session.scopes.joined(separator: " "))
        writer.name("client_id")
        writer.string(clientID)
        writer.endObject()
        var limits = JSONLimits.filled(to: writer.bytes.count)
        limits.members += 2
        do {
            return try JSONValue.parse(writer.bytes.span, limits: limits)
        } catch {
            preconditionFailure("what the writer writes is JSON")
        }
    }
}
