import CCurl
import Glibc
import HTTPMessage

/// One request on its way and what has come back so far; lives on its loop's thread.
///
/// Wraps a curl easy handle, which refers to this object until `end()`.
final class CurlTransfer: @unchecked Sendable {
    typealias Outcome = Result<FetchResponse, FetchRefusal>

    let request: FetchRequest
    private(set) var easy: UnsafeMutableRawPointer?
    private var url: CurlURL?
    private var fieldLines: UnsafeMutablePointer<curl_slist>?
    private let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var addressGuard: AddressGuard?
    private var completion: ((Outcome) -> Void)?
    /// In milliseconds of the monotonic clock.
    private var deadline: Int?
    /// How long the server says it keeps the connection, in seconds.
    private(set) var keepAliveSeconds: Int?
    /// Whose share of the requests under way it takes.
    private(set) var lane: FetchQueue<CurlTransfer>.Lane?

    private var body: [UInt8] = []
    private var fieldBytes = 0
    /// Whether a connection was given this request to send.
    private var isSent = false
    /// What one of our own callbacks stopped the transfer for; says more than curl's code.
    private var refusal: FetchRefusal?

    init(_ request: FetchRequest) {
        self.request = request
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        release()
        message.deallocate()
    }

    /// Makes the easy handle; `completion` is called once, by `end`.
    func prepare(completion: @escaping (Outcome) -> Void) throws(FetchRefusal) {
        let url = try CurlURL(request.url)
        guard url.scheme == "https" || (url.scheme == "http" && request.insecureAllowHTTP) else {
            throw .protocolNotAllowed
        }
        guard let easy = curl_easy_init() else { throw .failed("out of memory") }
        self.url = url
        self.easy = easy
        lane = FetchQueue.Lane(purpose: request.purpose, server: url.server)
        deadline = Self.now() + max(1, request.timeoutMilliseconds)
        addressGuard = AddressGuard(request, host: url.host)
        fieldLines = try CurlTransfer.fieldLines(of: request)
        var options = CurlOptions(easy: easy)
        options.apply(request, url: url, fieldLines: fieldLines)
        options.apply(context: Unmanaged.passUnretained(self).toOpaque(), message: message)
        guard options.failed == CURLE_OK else {
            throw .failed(String(cString: curl_easy_strerror(options.failed)))
        }
        self.completion = completion
    }

    /// Chooses among the connections that there are when it begins.
    func use(connectionOf age: ConnectionAge) {
        guard let easy else { return }
        if let seconds = age.seconds {
            portcullis_easy_set_long(easy, CURLOPT_MAXAGE_CONN, seconds)
        } else {
            portcullis_easy_set_long(easy, CURLOPT_FRESH_CONNECT, 1)
        }
    }

    /// Whether it has ended.
    var isOver: Bool { completion == nil }

    /// Takes the time it has waited for its turn from what it has; false when that is all of it.
    func beginsInTime() -> Bool {
        guard let easy, let deadline else { return false }
        let left = deadline - Self.now()
        guard left >= 1 else { return false }
        return portcullis_easy_set_long(easy, CURLOPT_TIMEOUT_MS, left) == CURLE_OK
    }

    private static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }

    /// Completes with what `code` and the answer amount to, and lets go of the handle.
    func end(_ code: CURLcode) { end(outcome(code)) }

    /// Completes with `outcome`, and lets go of the handle, which no multi handle holds any more.
    func end(_ outcome: Outcome) {
        release()
        let completion = self.completion
        self.completion = nil
        completion?(outcome)
    }

    private func release() {
        if let easy { curl_easy_cleanup(easy) }
        easy = nil
        // The list and the URL must outlive the easy handle that refers to them.
        curl_slist_free_all(fieldLines)
        fieldLines = nil
        url = nil
    }
}

// MARK: called by curl while the transfer runs

extension CurlTransfer {
    /// Whether the next bytes of body are still within the bound.
    func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= request.maximumBytes - body.count else { return refuse(.tooLarge) }
        body.append(contentsOf: bytes)
        return true
    }

    /// Whether the next field line is still within the bound.
    func receive(fieldLine count: Int) -> Bool {
        fieldBytes += count
        return fieldBytes <= FetchLimits.fieldBytes || refuse(.fieldsTooLarge)
    }

    /// Whether the request may be sent over a connection to `address`, which is open.
    ///
    /// When a connection that was used before ends without a byte of an answer, curl sends the request once more over
    /// another, whatever its method; no option turns that off. A POST is not idempotent (RFC 9110 §9.2.2): it goes out
    /// again only where not one byte of it went out before.
    func maySend(to address: IPAddress?, described: @autoclosure () -> String) -> Bool {
        guard permits(address, described: described()) else { return false }
        isSent = true
        return true
    }

    /// Whether a socket may be opened to `address`, or a connection that is open to it be used.
    func permits(_ address: IPAddress?, described: @autoclosure () -> String) -> Bool {
        guard !(isSent && hasSentBytes && request.method == .post) else { return refuse(.unanswered) }
        // An address of an unknown family or spelling is not a public one.
        guard let address, let addressGuard, addressGuard.permits(address) else {
            return refuse(.refusedAddress(described()))
        }
        return true
    }

    private var hasSentBytes: Bool {
        guard let easy else { return true }
        var head = 0
        return portcullis_easy_get_long(easy, CURLINFO_REQUEST_SIZE, &head) != CURLE_OK || head > 0
    }

    private func refuse(_ refusal: FetchRefusal) -> Bool {
        self.refusal = refusal
        return false
    }
}

// MARK: what came of it

extension CurlTransfer {
    private func outcome(_ code: CURLcode) -> Outcome {
        guard code == CURLE_OK else {
            // A refused address is one of several perhaps: it explains a failure to connect, nothing later.
            if case .refusedAddress = refusal, code != CURLE_COULDNT_CONNECT, code != CURLE_ABORTED_BY_CALLBACK {
                return .failure(CurlFailure.refusal(for: code, message: String(cString: message)))
            }
            if request.method == .post, refusal == nil, code == CURLE_GOT_NOTHING { return .failure(.unanswered) }
            return .failure(refusal ?? CurlFailure.refusal(for: code, message: String(cString: message)))
        }
        guard let easy else { return .failure(.cancelled) }
        var status = 0
        portcullis_easy_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
        // A redirect would name a host that nobody checked; the well-known locations have no reason to send one.
        guard !(300...399).contains(status) else { return .failure(.redirected) }
        keepAliveSeconds = KeepAliveField.timeoutSeconds(fieldValues("Keep-Alive", of: easy))
        var contentType: UnsafeMutablePointer<CChar>?
        portcullis_easy_get_text(easy, CURLINFO_CONTENT_TYPE, &contentType)
        return .success(
            FetchResponse(
                status: status, contentType: contentType.map { String(cString: $0) },
                maxAgeSeconds: CacheControl.maxAgeSeconds(fieldValues("Cache-Control", of: easy)),
                dpopNonce: NonceField.nonce(fieldValues("DPoP-Nonce", of: easy)),
                retryAfterSeconds: Self.retryAfterSeconds(of: easy), body: body))
    }

    /// A number or a date, either of which curl reads; a day at most, whatever the server says.
    private static func retryAfterSeconds(of easy: UnsafeMutableRawPointer) -> Int? {
        var seconds: curl_off_t = 0
        guard portcullis_easy_get_offset(easy, CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK, seconds > 0 else {
            return nil
        }
        return Int(min(Int64(seconds), FetchLimits.retryAfterSeconds))
    }

    /// The values of a field of the final answer (`curl_easy_header`).
    private func fieldValues(_ name: String, of easy: UnsafeMutableRawPointer) -> [String] {
        var values: [String] = []
        var field: UnsafeMutablePointer<curl_header>?
        while curl_easy_header(easy, name, values.count, UInt32(CURLH_HEADER), -1, &field) == CURLHE_OK,
            let value = field?.pointee.value
        {
            values.append(String(cString: value))
        }
        return values
    }

    private static func fieldLines(
        of request: FetchRequest
    ) throws(FetchRefusal) -> UnsafeMutablePointer<curl_slist>? {
        var lines: UnsafeMutablePointer<curl_slist>?
        // No coding but the plain one is asked for or undone: a compressed bomb stays as small as it was sent.
        let always = [("Accept", "application/json"), ("Accept-Encoding", "identity"), ("Expect", "")]
        let own = Set(request.headers.map { $0.0.lowercased() })
        for (name, value) in always.filter({ !own.contains($0.0.lowercased()) }) + request.headers {
            // A line break in a value would be a second field, or a second request.
            guard (name + value).utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                curl_slist_free_all(lines)
                throw .failed("a field holds a control character")
            }
            guard let longer = curl_slist_append(lines, value.isEmpty ? "\(name):" : "\(name): \(value)") else {
                curl_slist_free_all(lines)
                throw .failed("out of memory")
            }
            lines = longer
        }
        return lines
    }
}
