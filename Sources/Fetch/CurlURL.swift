import CCurl
import HTTPMessage

/// A URL as curl itself reads it, so that the host that is checked is the host that is connected to.
///
/// Two parsers that disagree about one URL are how a guard is walked around. Wraps `CURLU`.
final class CurlURL {
    let handle: OpaquePointer
    let scheme: String
    /// The host, IPv6 literals in brackets.
    let host: String
    /// Scheme, host and port: who is asked, whatever for.
    let server: String

    /// The URL in `text`; one with a user name is refused (`curl_url_set`).
    init(_ text: String) throws(FetchRefusal) {
        guard let handle = curl_url() else { throw .failed("out of memory") }
        let code = curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_DISALLOW_USER))
        guard code == CURLUE_OK, let scheme = CurlURL.part(CURLUPART_SCHEME, of: handle) else {
            curl_url_cleanup(handle)
            if code == CURLUE_UNSUPPORTED_SCHEME { throw .protocolNotAllowed }
            throw .failed("the URL is malformed")
        }
        self.handle = handle
        self.scheme = scheme
        // A file URL has none; it is refused for its scheme.
        host = CurlURL.part(CURLUPART_HOST, of: handle) ?? ""
        let port = CurlURL.part(CURLUPART_PORT, of: handle, UInt32(CURLU_DEFAULT_PORT)) ?? ""
        server = "\(scheme)://\(host.lowercased()):\(port)"
    }

    deinit { curl_url_cleanup(handle) }

    private static func part(_ part: CURLUPart, of handle: OpaquePointer, _ flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        // The caller frees what curl_url_get allocated.
        defer { curl_free(text) }
        return String(cString: text)
    }
}
