import Bytes
import Crypto

/// Where a browser is sent for an authorization (RFC 6749 §4.1.1).
///
/// The endpoint's own query stays (RFC 6749 §3.1). Every value is form-encoded: nothing in one can add a parameter.
public enum AuthorizationURL {
    /// Characters beyond which browsers and proxies differ in what they do with it: another form is used then (JAR-08).
    public static let maximumCharacters = 2000

    /// Every parameter in the URL.
    public static func plain(endpoint: String, _ parameters: AuthorizationParameters) -> String {
        url(endpoint, parameters.pairs)
    }

    /// `client_id` and the request object itself (RFC 9101 §5.1; JAR-07).
    public static func byValue(
        endpoint: String, _ parameters: AuthorizationParameters, object: [UInt8]
    ) -> String {
        url(endpoint, repeated(parameters) + [("request", String(decoding: object, as: UTF8.self))])
    }

    /// `client_id` and the URL under which the server finds `object` here (RFC 9101 §5.2; JAR-24, JAR-25).
    public static func byReference(
        endpoint: String, _ parameters: AuthorizationParameters, requestURI: String, object: [UInt8]
    ) -> String {
        var requestURI = requestURI
        // OpenID Connect Core §6.2: the URL names this object and no later one.
        if parameters.settings.hashesRequestURI { requestURI += "#" + SHA256.hash(object.span).base64URL }
        return url(endpoint, repeated(parameters) + [("request_uri", requestURI)])
    }

    /// `client_id` and the reference that the server gave for a pushed request (RFC 9126 §4; PAR-04).
    public static func pushed(endpoint: String, clientID: String, requestURI: String) -> String {
        url(endpoint, [("client_id", clientID), ("request_uri", requestURI)])
    }

    /// `client_id`, and where the settings say so what OpenID Connect Core §6.1 wants to see outside the object.
    ///
    /// Both come from where the object's come from: they cannot differ.
    private static func repeated(_ parameters: AuthorizationParameters) -> [(String, String)] {
        let names: [String] =
            parameters.settings.repeatsParameters ? ["response_type", "client_id", "scope"] : ["client_id"]
        return parameters.pairs.filter { names.contains($0.0) }
    }

    private static func url(_ endpoint: String, _ parameters: [(String, String)]) -> String {
        // RFC 6749 §3.1 allows no fragment; behind one the parameters would never reach the server.
        var url = Array(endpoint.utf8.prefix { $0 != UInt8(ascii: "#") })
        var query: [UInt8] = []
        for (name, value) in parameters {
            let value = Array(value.utf8)
            FormEncoding.appendParameter(name, value.span, to: &query)
        }
        if !url.contains(UInt8(ascii: "?")) {
            url.append(UInt8(ascii: "?"))
        } else if let last = url.last, last != UInt8(ascii: "?"), last != UInt8(ascii: "&") {
            url.append(UInt8(ascii: "&"))
        }
        return String(decoding: url + query, as: UTF8.self)
    }
}
