import CCurl
import HTTPMessage

/// Everything that is set on an easy handle before a transfer, in one place to read.
///
/// Wraps `curl_easy_setopt`.
struct CurlOptions {
    let easy: UnsafeMutableRawPointer
    /// The first option that curl did not take; a transfer without one of these must not start.
    private(set) var failed = CURLE_OK

    init(easy: UnsafeMutableRawPointer) { self.easy = easy }

    /// What to ask, of whom, and for how long.
    mutating func apply(_ request: FetchRequest, url: CurlURL, fieldLines: UnsafeMutablePointer<curl_slist>?) {
        set(CURLOPT_CURLU, pointer: UnsafeRawPointer(url.handle))
        set(CURLOPT_PROTOCOLS_STR, request.insecureAllowHTTP ? "https,http" : "https")
        set(CURLOPT_HTTPHEADER, pointer: UnsafeRawPointer(fieldLines))
        set(CURLOPT_USERAGENT, "portcullis")
        if request.method == .post {
            let body = request.body ?? []
            set(CURLOPT_POST, 1)
            set(CURLOPT_POSTFIELDSIZE, body.count)
            // Copied by curl, after its size is known to it.
            body.withUnsafeBytes { set(CURLOPT_COPYPOSTFIELDS, pointer: $0.baseAddress ?? UnsafeRawPointer(easy)) }
        }
        set(CURLOPT_TIMEOUT_MS, max(1, request.timeoutMilliseconds))
        set(CURLOPT_CONNECTTIMEOUT_MS, max(1, min(request.timeoutMilliseconds, FetchLimits.connectMilliseconds)))
        note(portcullis_easy_set_offset(easy, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(max(1, request.maximumBytes))))
        setTransportSecurity(request)
        setNothingElse()
    }

    /// Who is told what happens, and where curl's own words go.
    mutating func apply(context: UnsafeMutableRawPointer, message: UnsafeMutablePointer<CChar>) {
        set(CURLOPT_ERRORBUFFER, pointer: UnsafeRawPointer(message))
        set(CURLOPT_WRITEDATA, pointer: UnsafeRawPointer(context))
        note(portcullis_easy_set_body_receiver(easy, onBody))
        set(CURLOPT_HEADERDATA, pointer: UnsafeRawPointer(context))
        note(portcullis_easy_set_field_receiver(easy, onFieldLine))
        set(CURLOPT_OPENSOCKETDATA, pointer: UnsafeRawPointer(context))
        note(portcullis_easy_set_socket_opener(easy, onOpenSocket))
        // A pooled connection opens no socket, so the guard of this request has to look at it once more.
        set(CURLOPT_PREREQDATA, pointer: UnsafeRawPointer(context))
        note(portcullis_easy_set_before_request(easy, onBeforeRequest))
    }

    private mutating func setTransportSecurity(_ request: FetchRequest) {
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        setClientCertificate(request)
        guard let file = request.certificateAuthorityFile else { return }
        set(CURLOPT_CAINFO, file)
        // The file replaces the system's authorities: their directory would otherwise still be searched.
        set(CURLOPT_CAPATH, pointer: nil)
    }

    /// Both names are part of what curl compares before it uses a connection again.
    private mutating func setClientCertificate(_ request: FetchRequest) {
        guard let file = request.clientCertificateFile else { return }
        set(CURLOPT_SSLCERT, file)
        set(CURLOPT_SSLKEY, request.clientKeyFile ?? file)
        // Without a passphrase that is set, OpenSSL asks for one at the terminal.
        set(CURLOPT_KEYPASSWD, "")
    }

    /// Switches off what curl would do on its own account, or on the environment's.
    private mutating func setNothingElse() {
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        set(CURLOPT_PROXY, "")
        set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        set(CURLOPT_NOSIGNAL, 1)
        // A transfer that ends while its name is being looked up must not wait for that thread on this one (OPS-04).
        set(CURLOPT_QUICK_EXIT, 1)
    }

    private mutating func set(_ option: CURLoption, _ value: Int) {
        note(portcullis_easy_set_long(easy, option, value))
    }

    private mutating func set(_ option: CURLoption, _ text: String) {
        note(portcullis_easy_set_text(easy, option, text))
    }

    private mutating func set(_ option: CURLoption, pointer: UnsafeRawPointer?) {
        note(portcullis_easy_set_pointer(easy, option, pointer))
    }

    private mutating func note(_ code: CURLcode) {
        if failed == CURLE_OK { failed = code }
    }
}
