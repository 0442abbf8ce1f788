import Compression
import Crypto
import EventLoop
import Fetch
import HTTPMessage
import JSON
import Synchronization
import Telemetry

/// Sends spans to the collector, in OTLP over HTTP (ECO-53): one request at a time, on the control loop.
///
/// On that loop, because no worker is to wait for a collector, and with a fetcher of its own, because no login is to wait
/// behind spans either. What a collector that hangs, refuses or floods costs is the spans that do not fit into the queue.
/// One for the process, over all its configurations; every property is the control loop's alone, the queue excepted.
final class TraceExporter: @unchecked Sendable {
    let queue = SpanQueue()
    private let loop: EventLoop
    private let operatorLog: OperatorLog
    private let version: String
    /// Made when there is something to send for the first time.
    private var fetching: CurlFetcher?
    /// Where spans go, by the configuration that is served; nil while they go nowhere.
    private var target: (settings: TracingSettings, envelope: ExportEnvelope)?
    private var timer: LoopTimer?
    private var sending: Task<Void, Never>?
    private let failures = OncePerMinute()
    /// Spans that were lost since it was said last.
    private var unsaid = 0
    /// Monotonic milliseconds by which all is to be sent, and what follows then; while the process ends.
    private var end: (deadline: Int64, then: @Sendable () -> Void)?

    /// One request for the collector, however often it is sent.
    private struct Export {
        let spans: Int
        let body: [UInt8]
        let isCompressed: Bool
        let settings: TracingSettings
    }

    /// What came of sending it once.
    private struct Attempt {
        let answer: ExportAnswer
        /// The collector's status, or what kept it from answering.
        let reason: String
        /// The collector may have refused the coding, and no span.
        var suspectsCoding = false
    }

    /// How often is looked whether there is something to send, in milliseconds.
    private static let interval = 200
    private static let timeout = 10_000
    /// A collector's answer says how many spans it did not take, and perhaps why.
    private static let answerLimit = 64 << 10

    /// On the control loop, which has no transfers but these.
    init(loop: EventLoop, operatorLog: OperatorLog, version: String) {
        self.loop = loop
        self.operatorLog = operatorLog
        self.version = version
    }

    /// Sends spans where these settings say from now on, or nowhere.
    func serve(by settings: TracingSettings?) {
        target = settings.map { ($0, ExportEnvelope(service: $0.service, version: version)) }
        guard target != nil else {
            timer?.cancel()
            timer = nil
            return queue.drop()
        }
        if fetching == nil { fetching = CurlFetcher(loop: loop, connections: 4) }
        guard timer == nil else { return }
        let timer = LoopTimer(loop: loop) { [unowned self] in
            sendNext()
            self.timer?.arm(milliseconds: Self.interval)
        }
        self.timer = timer
        timer.arm(milliseconds: Self.interval)
    }

    /// Sends what there is, in so many milliseconds at most; `then` follows, on the control loop.
    func stop(within milliseconds: Int, then: @escaping @Sendable () -> Void) {
        guard target != nil, end == nil else { return then() }
        end = (Self.now + Int64(milliseconds), then)
        sendNext()
        guard end != nil else { return }
        let timer = LoopTimer(loop: loop) { [unowned self] in
            sending?.cancel()
            finish()
        }
        self.timer = timer
        timer.arm(milliseconds: milliseconds)
    }

    private static var now: Int64 { Int64(WorkerClock().microseconds() / 1000) }

    private func sendNext() {
        guard sending == nil, let target, let fetching else { return }
        guard let batch = queue.take(at: Self.now, all: end != nil) else {
            if end != nil { finish() }
            return
        }
        let export = Self.export(batch, target.envelope, target.settings)
        sending = Task(executorPreference: loop) { [self] in
            await send(export, over: fetching)
            loop.execute { [self] in
                sending = nil
                sendNext()
            }
        }
    }

    /// A request with these spans; compressed once, however often it is sent.
    ///
    /// Here and not where spans are made: no worker compresses. A batch of the usual size takes this loop a millisecond.
    private static func export(
        _ batch: SpanBatch, _ envelope: ExportEnvelope, _ settings: TracingSettings
    ) -> Export {
        let body = envelope.body(of: batch)
        if settings.compression == .gzip, let coded = Gzip.encode(body.span) {
            return Export(spans: batch.spans, body: coded, isCompressed: true, settings: settings)
        }
        return Export(spans: batch.spans, body: body, isCompressed: false, settings: settings)
    }

    private func finish() {
        guard let end else { return }
        self.end = nil
        timer?.cancel()
        queue.drop()
        end.then()
    }

    /// Sends one request, as often as it takes.
    private func send(_ export: Export, over fetching: CurlFetcher) async {
        var attempts = ExportAttempts()
        while true {
            let attempt = await attempt(export, over: fetching)
            switch attempt.answer {
            case .taken: return
            case .refused: return lose(export.spans, .refused, attempt, export.settings)
            case .later(let wanted):
                guard let wait = attempts.next(afterSeconds: wanted, spread: Double.random(in: -1...1)), mayWait(wait)
                else { return lose(export.spans, .unavailable, attempt, export.settings) }
                do { try await loop.sleep(milliseconds: wait) } catch {
                    return lose(export.spans, .unavailable, attempt, export.settings)
                }
            }
        }
    }

    private func mayWait(_ milliseconds: Int) -> Bool {
        end.map { Self.now + Int64(milliseconds) < $0.deadline } ?? true
    }

    private func attempt(_ export: Export, over fetching: CurlFetcher) async -> Attempt {
        let settings = export.settings
        var request = FetchRequest(
            url: settings.url, maximumBytes: Self.answerLimit, timeoutMilliseconds: Self.timeout)
        request.purpose = .export
        request.method = .post
        request.body = export.body
        request.headers = [("Content-Type", "application/json")]
        if export.isCompressed { request.headers.append(("Content-Encoding", "gzip")) }
        for (name, value) in settings.fields {
            request.headers.append((name, String(decoding: value.reveal(), as: UTF8.self)))
        }
        request.certificateAuthorityFile = settings.certificateAuthorityFile
        // The operator's own word, which may be of an address that nobody else can point at.
        request.allowLoopbackAndPrivateHost = URI(settings.endpoint)?.host
        request.insecureAllowHTTP = settings.endpoint.hasPrefix("http:")
        do throws(FetchRefusal) {
            let response = try await fetching.fetch(request)
            let answer = ExportAnswer(status: response.status, retryAfterSeconds: response.retryAfterSeconds)
            if answer == .taken { count(export.spans, of: response.body, settings) }
            // 415 is the answer to a coding that is not known (RFC 9110 §15.5.16); one that reads gzip as JSON says 400.
            let suspectsCoding = export.isCompressed && [400, 415].contains(response.status)
            return Attempt(answer: answer, reason: "\(response.status)", suspectsCoding: suspectsCoding)
        } catch {
            switch error {
            // Nothing that is sent again would be answered otherwise.
            case .tooLarge, .fieldsTooLarge, .protocolNotAllowed, .redirected:
                return Attempt(answer: .refused, reason: "\(error)")
            case .unresolved, .refusedAddress, .connectFailed, .tlsFailed, .timedOut, .unanswered, .cancelled, .crowded,
                .tooManyOfClient, .failed:
                return Attempt(answer: .later(afterSeconds: nil), reason: "\(error)")
            }
        }
    }

    /// Counts what a collector took: it says how many it did not, where those are some.
    private func count(_ spans: Int, of body: [UInt8], _ settings: TracingSettings) {
        let answer = try? JSONValue.parse(body.span)
        let said = answer?["partialSuccess"]?["rejectedSpans"]
        // A number of 64 bits is a text in the JSON of protocol buffers; some write the number all the same.
        let rejected = said?.string.flatMap(Int.init) ?? said?.integer.map(Int.init(clamping:)) ?? 0
        let lost = min(max(rejected, 0), spans)
        queue.countExported(spans - lost)
        if lost > 0 { lose(lost, .refused, Attempt(answer: .taken, reason: "a partial success"), settings) }
    }

    private func lose(_ spans: Int, _ loss: SpanLoss, _ attempt: Attempt, _ settings: TracingSettings) {
        queue.count(loss, spans)
        unsaid += spans
        guard failures.takesTurn(at: WorkerClock().microseconds()) else { return }
        var fields = [
            LogField(.url, settings.url), LogField(.reason, attempt.reason), LogField(.count, unsaid),
        ]
        if attempt.suspectsCoding {
            fields.append(LogField(.setting, "tracing.compression"))
            fields.append(LogField(.detail, "a collector that does not read gzip needs compression: none"))
        }
        operatorLog.write(.warning, .traceExportFailed, fields)
        unsaid = 0
    }
}
