import HTTPMessage
import Synchronization

/// Tells an operator what went wrong in a service, each kind of trouble at its own pace.
final class LookupEvents: Sendable {
    private struct Paces {
        var failures = LookupReports(interval: 10_000)
        var alarms = LookupReports(interval: 60_000)
        var targets = LookupReports(interval: 60_000)
    }

    private let paces = Mutex(Paces())
    private let clock: any IssuerClock
    private let onEvent: @Sendable (Int, IssuerEvent) -> Void

    init(clock: any IssuerClock, onEvent: @escaping @Sendable (Int, IssuerEvent) -> Void) {
        self.clock = clock
        self.onEvent = onEvent
    }

    /// A question about a token had no answer.
    func introspectionFailed(_ refusal: LookupRefusal, issuer: Int, client: String) {
        failed(refusal, issuer: issuer, client: client) { .introspectionFailed(refusal, count: $0) }
    }

    /// An exchange had no answer.
    func exchangeFailed(_ refusal: LookupRefusal, issuer: Int, client: String) {
        failed(refusal, issuer: issuer, client: client) { .exchangeFailed(refusal, count: $0) }
    }

    /// The target of an exchange was refused.
    func targetRefused(issuer: Int, client: String) {
        let now = clock.now().milliseconds
        guard let count = paces.withLock({ $0.targets.note(issuer, at: now) }) else { return }
        onEvent(issuer, .exchangeTargetRefused(client: client, count: count))
    }

    private func failed(_ refusal: LookupRefusal, issuer: Int, client: String, event: (Int) -> IssuerEvent) {
        // What the gateway itself cancelled is nobody's trouble, and a stranger's bad tokens, or too many tokens, are none
        // of the operator's.
        guard refusal != .stopped, refusal != .tooManyBad, refusal != .tooManyOfClient,
            refusal != .request(.fetch(.cancelled))
        else { return }
        let now = clock.now().milliseconds
        if let status = refusal.refusedCredentials {
            guard let count = paces.withLock({ $0.alarms.note(issuer, at: now) }) else { return }
            return onEvent(issuer, .clientRefused(client: client, status: status, count: count))
        }
        guard let count = paces.withLock({ $0.failures.note(issuer, at: now) }) else { return }
        onEvent(issuer, event(count))
    }
}
