import Access
import Rates
import Synchronization
import Telemetry

/// How often one worker says the same in the operator log.
///
/// What clients can have said as often as they like would bury everything else, and a collector that takes so many
/// lines and no more drops the alarms among them. A line that is left out is counted, and the next one of its cause
/// says how many there were; the access log has each request all the same. Alarms are said elsewhere, and always.
struct LineRateLimit {
    /// So many lines of a cause at once.
    static let burst = 50
    /// And then so many a second.
    static let perSecond = 2

    private static let rate = TokenRate(perSecond: perSecond, burst: burst)
    /// By microseconds of the monotonic clock.
    private var bucket = TokenBucket()
    /// Lines left out since one was written.
    private var suppressed = 0

    /// Whether a line may be written: how many were left out before it, or nil for one that is left out too.
    mutating func admit(at microseconds: UInt64) -> Int? {
        guard bucket.take(at: microseconds, Self.rate) else {
            suppressed += 1
            return nil
        }
        defer { suppressed = 0 }
        return suppressed
    }
}

/// The limits of one worker, one for each cause and event.
struct LineRateLimits {
    /// Lines that are no refusals.
    enum Event: Int, CaseIterable {
        case upstreamCookieDropped
        case clientTooSlow
        case streamsEnded
        case streamMalformed
    }

    private static let firstReason = Refusal.allCases.count
    private static let firstEvent = firstReason + HandshakeReason.allCases.count
    private var limits = [LineRateLimit](repeating: LineRateLimit(), count: firstEvent + Event.allCases.count)

    mutating func admit(_ refusal: Refusal, at now: UInt64) -> Int? { limits[Int(refusal.rawValue)].admit(at: now) }

    mutating func admit(_ reason: HandshakeReason, at now: UInt64) -> Int? {
        limits[Self.firstReason + (HandshakeReason.allCases.firstIndex(of: reason) ?? 0)].admit(at: now)
    }

    mutating func admit(_ event: Event, at now: UInt64) -> Int? {
        limits[Self.firstEvent + event.rawValue].admit(at: now)
    }
}

/// The limits of one upstream's failures, one for each kind: what is left out of one is never said by a line of another.
struct UpstreamLineRateLimits {
    enum Kind: Int, CaseIterable {
        case unresolved, unreachable, connectTimedOut, tlsFailed
        case malformed
        case brokeOff
        case timedOut
        /// One address of several; not the end of a request.
        case addressPutBack
        /// One server of several; likewise.
        case serverEjected, serverDown
        case allServersOut
        /// A name of which nobody can say where it leads, while its addresses are used.
        case nameStale

        /// The kind of a connection that did not come about.
        init(_ failure: ConnectFailure) {
            switch failure {
            case .unresolved: self = .unresolved
            case .unreachable: self = .unreachable
            case .timedOut: self = .connectTimedOut
            case .tlsFailed: self = .tlsFailed
            case .otherProtocol: self = .malformed
            }
        }

        /// What the metric calls it.
        var failure: UpstreamFailure {
            switch self {
            case .unresolved: .unresolved
            case .unreachable: .unreachable
            case .connectTimedOut: .connectTimedOut
            case .tlsFailed: .tlsFailed
            case .malformed: .malformed
            case .brokeOff: .brokeOff
            case .timedOut: .timedOut
            case .addressPutBack: .addressFailed
            case .serverEjected: .ejected
            case .serverDown: .checkFailed
            case .allServersOut: .allOut
            case .nameStale: .nameFailed
            }
        }

        var event: LogEvent {
            switch self {
            case .unresolved, .unreachable, .connectTimedOut, .tlsFailed: .upstreamConnectFailed
            case .malformed: .upstreamProtocolError
            case .brokeOff: .upstreamBrokeOff
            case .timedOut: .upstreamTimedOut
            case .addressPutBack: .upstreamAddressPutBack
            case .serverEjected: .upstreamServerEjected
            case .serverDown: .upstreamServerDown
            case .allServersOut: .upstreamAllServersOut
            case .nameStale: .upstreamNameFailed
            }
        }
    }

    private var limits = [LineRateLimit](repeating: LineRateLimit(), count: Kind.allCases.count)

    mutating func admit(_ kind: Kind, at now: UInt64) -> Int? { limits[kind.rawValue].admit(at: now) }
}

/// The limits of what happens to the sessions of logins behind their users' backs, one for each login, event and word.
///
/// While a server is down each session that is due says so, and whoever signs out again and again has each failed
/// revocation said.
final class LoginLineRateLimits: Sendable {
    private struct Cause: Hashable {
        let client: Int
        let event: LogEvent
        /// An outcome or a reason: one of a catalogue.
        let word: String
    }

    private let limits = Mutex<[Cause: LineRateLimit]>([:])

    func admit(client: Int, _ event: LogEvent, _ word: String, at now: UInt64) -> Int? {
        let cause = Cause(client: client, event: event, word: word)
        return limits.withLock { $0[cause, default: LineRateLimit()].admit(at: now) }
    }
}

extension WorkerRef {
    /// Whether this refusal's line is written: how many of its cause were left out before it, or nil.
    func admitLine(of refusal: Refusal) -> Int? { pointee.journal.told.lines.admit(refusal, at: clock.microseconds()) }

    /// The same of a handshake that failed.
    func admitLine(of reason: HandshakeReason) -> Int? {
        pointee.journal.told.lines.admit(reason, at: clock.microseconds())
    }

    /// The same of another event.
    func admitLine(of event: LineRateLimits.Event) -> Int? {
        pointee.journal.told.lines.admit(event, at: clock.microseconds())
    }
}

extension [LogField] {
    /// These members, and how many such lines were left out before where there were any.
    func with(suppressed: Int) -> [LogField] { suppressed > 0 ? self + [LogField(.suppressed, suppressed)] : self }
}
