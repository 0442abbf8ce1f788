import Bytes
import Crypto
import Issuers
import JOSE
import Synchronization
import Telemetry

/// Writes the audit log: names people as the configuration says, and lets nobody fill it.
///
/// There is none where the configuration wants no audit log.
final class Auditor: Sendable {
    /// What was said of sessions and keys, so that it is not said twice.
    private struct Told {
        /// References of sessions that are over; the older half is forgotten when the newer one is full.
        var ended: Set<UInt64> = []
        var endedBefore: Set<UInt64> = []
        /// A digest of each issuer's key set, by its URL.
        var keys: [String: SHA256Digest] = [:]
        /// Lines that the destination lost, and those of them that no line told of yet.
        var lost: UInt64 = 0
        var untold: UInt64 = 0
        /// A line was written that tells of them, and may be lost too.
        var isTelling = false
        /// When to try that again, in microseconds.
        var tellsAt: UInt64 = 0

        /// How many lines were lost since the last time, and how many a line is to tell of now.
        ///
        /// Told when a second went by without another loss, and not again within a minute where that line was lost itself:
        /// a disk that is full for a night is no line a second.
        mutating func take(_ lost: UInt64, at now: UInt64, all: Bool) -> (more: Int, untold: Int) {
            var more = lost - min(self.lost, lost)
            self.lost = lost
            if isTelling {
                if more > 0 { (more, tellsAt) = (more - 1, now &+ 60_000_000) } else { untold = 0 }
                isTelling = false
            }
            untold += more
            guard untold > 0, all || more == 0 && now >= tellsAt else { return (Int(clamping: more), 0) }
            isTelling = true
            return (Int(clamping: more), Int(clamping: untold))
        }
    }

    private let log: AuditLog
    private let names: AuditNames
    private let budget = AuditBudget()
    private let told = Mutex(Told())
    /// Lines that the destination has lost so far.
    private let lostLines: @Sendable () -> UInt64

    private static let endedLimit = 50_000

    init(
        _ names: AuditNames, _ log: AuditLog, lostLines: @escaping @Sendable () -> UInt64 = { 0 }
    ) {
        self.names = names
        self.log = log
        self.lostLines = lostLines
    }

    /// Nil where no audit log is wanted; `isOwn` says that no other log goes to the same sink.
    convenience init?(_ settings: AuditSettings, _ sink: LogSink?, isOwn: Bool) throws(GatewayFailure) {
        guard let sink else { return nil }
        self.init(
            try AuditNames(settings),
            AuditLog(eventID: { Hex.encode(RandomBytes.fill(16).span) }, output: { sink.submit(&$0) }),
            lostLines: { isOwn ? sink.droppedLines : 0 })
    }

    /// Writes what a valid identity did or met, unless it did so too often.
    func write(
        _ event: AuditEvent, of identity: AuditIdentity, _ share: AuditBudget.Share, _ fields: [AuditField]
    ) {
        guard budget.admit(identity, share, at: WorkerClock().microseconds()) else { return }
        log.write(event, names.fields(of: identity) + fields)
    }

    /// Writes that a session is over, once.
    func writeEnd(of identity: AuditIdentity, _ fields: [AuditField]) {
        if let session = identity.session, !takeNote(ofEnd: session) { return }
        write(.sessionEnded, of: identity, .sessions, fields)
    }

    /// Writes what the operator did, or what happened to the process itself.
    func write(_ event: AuditEvent, _ fields: [AuditField]) { log.write(event, fields) }

    /// Writes that somebody looked at the admin listener, unless somebody does so too often.
    func writeLook(_ fields: [AuditField]) {
        guard budget.admit(nil, .admin, at: WorkerClock().microseconds()) else { return }
        log.write(.adminAsked, fields)
    }

    /// Writes that an issuer signs by other keys than it did; the first ones are nothing new.
    func noteKeys(of issuer: String, _ keys: IssuerKeys) {
        let prints = keys.keySet.keys.map(\.thumbprint.base64URL).sorted().joined(separator: " ")
        let found = SHA256.hash(prints.utf8Span.span)
        let before = told.withLock { told in
            defer { told.keys[issuer] = found }
            return told.keys[issuer]
        }
        guard let before, before != found else { return }
        log.write(
            .keyRotated,
            [AuditField(.issuer, issuer), AuditField(.key, "issuer_keys"), AuditField(.count, keys.keySet.keys.count)])
    }

    /// Writes how many lines were left out and lost, where that is due; called once a second, and at the end with `all`.
    ///
    /// How many lines the destination lost since the last time, for the operator.
    func sweep(all: Bool = false) -> Int {
        for leftOut in budget.takeLeftOut(at: WorkerClock().microseconds(), all: all) {
            let who = leftOut.identity.map(names.fields) ?? []
            log.write(.leftOut, who + [AuditField(.cause, "too_many"), AuditField(.count, leftOut.count)])
        }
        let (lost, now) = (lostLines(), WorkerClock().microseconds())
        let (more, untold) = told.withLock { $0.take(lost, at: now, all: all) }
        if untold > 0 { log.write(.leftOut, [AuditField(.cause, "lost"), AuditField(.count, untold)]) }
        return more
    }

    /// Whether nothing was said of this session's end before.
    private func takeNote(ofEnd session: UInt64) -> Bool {
        told.withLock { told in
            guard !told.endedBefore.contains(session), told.ended.insert(session).inserted else { return false }
            if told.ended.count >= Self.endedLimit { (told.endedBefore, told.ended) = (told.ended, []) }
            return true
        }
    }
}
