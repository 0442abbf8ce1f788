import Bytes
package import JSON
import OAuth
package import Sessions

/// The claims that routes ask of a session, as they would be in an access token.
package enum SessionClaims {
    /// The session's own, with `scope` and `client_id` where it does not have them; and the text that they were read from.
    package static func read(of session: Session, clientID: String) -> (value: JSONValue, text: [UInt8]) {
        if let lengthened = lengthened(session, clientID) { return lengthened }
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
            let text = writer.finish()
            return (try JSONValue.parse(owned: text, limits: limits), text)
        } catch {
            preconditionFailure("what the writer writes is JSON")
        }
    }

    /// The same of an object that has neither of the two, which nearly every session's is: read once, and not written anew.
    ///
    /// A name that is there twice is no JSON here, so an object that has one of them is none when it is lengthened.
    private static func lengthened(_ session: Session, _ clientID: String) -> (value: JSONValue, text: [UInt8])? {
        let own = session.claims
        guard own.count > 2, own[0] == UInt8(ascii: "{"), own[own.count - 1] == UInt8(ascii: "}") else { return nil }
        var scopes: [UInt8] = []
        for (index, scope) in session.scopes.enumerated() {
            if index > 0 { scopes.append(UInt8(ascii: " ")) }
            scopes.append(copying: scope.utf8Span.span)
        }
        var text: [UInt8] = []
        text.reserveCapacity(own.count + scopes.count + clientID.utf8.count + 32)
        text.append(copying: own.span.extracting(..<(own.count - 1)))
        text.append(UInt8(ascii: ","))
        var writer = JSONWriter(appendingTo: consume text)
        writer.name("scope")
        writer.string(utf8: scopes.span)
        writer.name("client_id")
        writer.string(clientID)
        writer.endObject()
        var limits = JSONLimits.filled(to: writer.bytes.count)
        limits.members += 2
        let finished = writer.finish()
        guard let value = try? JSONValue.parse(owned: finished, limits: limits) else { return nil }
        return (value, finished)
    }
}
