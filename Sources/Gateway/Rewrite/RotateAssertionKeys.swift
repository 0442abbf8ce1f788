import Access
import Bytes
import Crypto
import EventLoop
import Issuers
import JOSE
import Telemetry

/// Keeps the keys that sign identity assertions in time; lives on the control loop, and hands out snapshots.
final class AssertionKeyRotation {
    private var ring: AssertionKeyRing
    private let loop: EventLoop
    private let operatorLog: OperatorLog
    private let audit: Auditor?
    private var timer: LoopTimer?
    /// What keys made here are made by; nil for the operator's own.
    private let makes: AssertionKeySettings?
    private let lifetime: Duration

    /// The keys at this time.
    var keys: AssertionKeys {
        AssertionKeys(signer: ring.signer, published: ring.publishedKeys, maximumAgeSeconds: ring.maximumAgeSeconds)
    }

    /// The configured keys, or keys made now; nil when no route asserts anything.
    ///
    /// - Throws: for a file that holds no key that signs, and when no key can be made.
    init?(
        _ settings: GatewaySettings, loop: EventLoop, operatorLog: OperatorLog, audit: Auditor? = nil
    ) throws(GatewayFailure) {
        guard let longest = AssertionKeyRotation.longestLifetime(settings) else { return nil }
        let keys = settings.assertionKeys
        let files = try AssertionKeyRotation.read(keys.keys)
        do throws(AssertionKeyRing.Refusal) {
            ring =
                files.isEmpty
                ? try AssertionKeyRing(
                    algorithm: keys.algorithm, rotationSeconds: keys.rotation.wholeSeconds,
                    lifetimeSeconds: longest.wholeSeconds, at: AssertionKeyRotation.now)
                : try AssertionKeyRing(files: files)
        } catch {
            throw GatewayFailure("identity assertions cannot be signed", CauseWords.of(error))
        }
        makes = files.isEmpty ? keys : nil
        lifetime = longest
        self.loop = loop
        self.operatorLog = operatorLog
        self.audit = audit
    }

    /// Whether keys made here can go on under another configuration: upstreams know them, and nobody else has them.
    func serves(_ settings: GatewaySettings) -> Bool {
        guard let makes, settings.assertionKeys.keys.isEmpty,
            let longest = AssertionKeyRotation.longestLifetime(settings)
        else { return false }
        return makes.algorithm == settings.assertionKeys.algorithm
            && makes.rotation == settings.assertionKeys.rotation && longest <= lifetime
    }

    private static func longestLifetime(_ settings: GatewaySettings) -> Duration? {
        settings.routes.compactMap { route -> Duration? in
            guard case .assertion(let assertion) = route.credential else { return nil }
            return assertion.lifetime
        }.max()
    }

    /// Replaces no key any more.
    func stop() { timer?.cancel() }

    private static func read(_ files: [Secret]) throws(GatewayFailure) -> [SigningJWK] {
        var keys: [SigningJWK] = []
        for file in files {
            do throws(SigningRefusal) {
                keys.append(try SigningJWK(pem: file))
            } catch {
                throw GatewayFailure("an assertion key cannot be used", CauseWords.of(error))
            }
        }
        return keys
    }

    /// Replaces keys when their time has come, as long as this object lives; `onChange` is called on the loop.
    func start(onChange: @escaping (AssertionKeys) -> Void) {
        // It goes on under the next configuration.
        guard ring.due != nil, timer == nil else { return }
        let timer = LoopTimer(loop: loop) { [unowned self] in
            let events = ring.advance(at: AssertionKeyRotation.now)
            events.forEach(report)
            if !events.isEmpty { onChange(keys) }
            arm()
        }
        self.timer = timer
        arm()
    }

    private func arm() {
        guard let due = ring.due else { return }
        let wait = due - AssertionKeyRotation.now.milliseconds
        // An hour at most at a time: a machine that slept is not late for long.
        timer?.arm(milliseconds: Int(min(max(wait, 1000), 3_600_000)))
    }

    private func report(_ event: AssertionKeyRing.Event) {
        switch event {
        case .rotated(let keyID, let next):
            audit?.write(
                .keyRotated, [AuditField(.key, KeyPrints.Kind.assertionKeys.rawValue), AuditField(.name, keyID)])
            operatorLog.write(
                .info, .assertionKeysRotated, LogField(.detail, "signs: \(keyID)"),
                LogField(.expected, "next: \(next)"))
        case .forgotten(let keyID):
            operatorLog.write(.debug, .assertionKeysRotated, LogField(.detail, "forgotten: \(keyID)"))
        case .notRotated(let seconds):
            operatorLog.write(.error, .assertionKeysNotRotated, LogField(.seconds, seconds))
        }
    }

    private static var now: Moment {
        let clock = WorkerClock()
        return Moment(
            milliseconds: Int64(clamping: clock.microseconds() / 1000), wallSeconds: clock.wallSeconds())
    }
}
