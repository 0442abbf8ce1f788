public import HTTPMessage
import JSON

/// The authorization request that a client pushes to the server itself (RFC 9126 §2).
public enum PushedAuthorization {
    /// Largest answer read, in bytes.
    public static let maximumBytes = 16 * 1024
    /// Longest `request_uri` taken, in bytes (RFC 9101 §5.2).
    public static let maximumRequestURIBytes = 512

    /// The form of a request without request object; never with `request_uri` (PAR-01).
    public static func parameters(_ parameters: AuthorizationParameters) -> [(String, String)] {
        parameters.pairs
    }

    /// The form of a request with one: beside it only `client_id`, everything else is inside (RFC 9126 §3; PAR-02).
    public static func parameters(
        _ parameters: AuthorizationParameters, object: [UInt8]
    ) -> [(String, String)] {
        [("client_id", parameters.clientID), ("request", String(decoding: object, as: UTF8.self))]
    }

    /// Longest life of a reference believed, in seconds: nobody adds to a moment what a server would like to overflow.
    public static let longestLifetimeSeconds: Int64 = 86_400

    /// The reference to send the browser with, once, and the seconds it is good for (RFC 9126 §2.2; PAR-03).
    public static func read(
        _ response: FetchResponse
    ) throws(PushRefusal) -> (requestURI: String, expiresIn: Int64) {
        // RFC 9126 §2.2 says 201; servers in use say 200.
        guard response.status == 201 || response.status == 200 else { throw PushRefusal(status: response) }
        guard response.body.count <= maximumBytes else { throw .tooLarge(bytes: response.body.count) }
        let contentType = response.contentType ?? ""
        guard MediaType.isJSON(contentType) else { throw .contentType(contentType) }
        let answer = try parse(response.body)
        guard answer.kind == .object else { throw .notAnObject }
        guard let reference = answer["request_uri"] else { throw .missingMember("request_uri") }
        guard let requestURI = reference.string, isReference(requestURI) else {
            throw .memberMalformed("request_uri")
        }
        guard let lifetime = answer["expires_in"] else { throw .missingMember("expires_in") }
        guard let expiresIn = lifetime.integer, expiresIn > 0 else { throw .memberMalformed("expires_in") }
        return (requestURI, min(expiresIn, longestLifetimeSeconds))
    }

    private static func parse(_ body: [UInt8]) throws(PushRefusal) -> JSONValue {
        do {
            return try JSONValue.parse(body.span, limits: JSONLimits(bytes: maximumBytes))
        } catch {
            throw .notJSON(error)
        }
    }

    private static func isReference(_ text: String) -> Bool {
        (1...maximumRequestURIBytes).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
