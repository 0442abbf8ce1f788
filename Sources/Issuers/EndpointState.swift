package import OAuth

/// One issuer's metadata over time, where its keys come from elsewhere and its endpoints alone are wanted.
///
/// Where the keys are discovered, `KeySetState` reads the same document for both.
///
///              start, due                accepted: due again within the hour (MD-05)
///     waiting ────────────▶ reading ─────────────────────────────────────────────────▶ waiting
///                                    └─ refused: again after 1 s, 2 s, 4 s … 60 s ────▶ waiting
///
/// A document once believed stays in use for a day when it cannot be read again, and is tried every five minutes.
package struct EndpointState: Sendable {
    /// Something the driver must do, in the order given.
    package enum Step: Sendable, Equatable {
        /// Read the metadata and call `accepted` or `refused`.
        case fetchMetadata
        /// Call `timerFired` at that monotonic time.
        case schedule(at: Int64)
        case report(IssuerEvent)
    }

    private var isReading = false
    private var dueAt = Int64.min
    private var failures = 0
    private var usableUntil = Int64.min
    /// The document that is believed.
    package private(set) var metadata: ServerMetadata?

    /// An issuer of which nothing is known yet.
    package init() {}

    /// The gateway has started, or the document is due.
    package mutating func due() -> [Step] {
        guard !isReading else { return [] }
        isReading = true
        return [.fetchMetadata]
    }

    /// Goes on after `continued`: reads the document if that is due, or waits until it is.
    package mutating func resume(at now: Moment) -> [Step] {
        guard !isReading, now.milliseconds < dueAt else { return due() }
        return [.schedule(at: dueAt)]
    }

    /// Whether the document is at hand, or a first attempt to read it has failed.
    package var isSettled: Bool { metadata != nil || failures > 0 }

    /// The same knowledge for another driver: what is under way counts as not begun.
    ///
    /// With `readsAnew` the document is due at once; it is believed until it was read.
    package func continued(readsAnew: Bool, at now: Moment) -> EndpointState {
        var state = self
        if isReading || readsAnew { state.dueAt = now.milliseconds }
        state.isReading = false
        return state
    }

    /// The metadata was read and is this issuer's.
    package mutating func accepted(_ found: ServerMetadata, maxAgeSeconds: Int?, at now: Moment) -> [Step] {
        isReading = false
        failures = 0
        metadata = found
        usableUntil = now.milliseconds + KeySetPlan.metadataStaleLimit
        let next = now.spreadOut(after: KeySetPlan.metadataFreshness(maxAgeSeconds: maxAgeSeconds))
        dueAt = next
        return [.report(.metadataAccepted(jwksURI: found.jwksURI ?? "")), .schedule(at: next)]
    }

    /// What was read could not be read or believed.
    package mutating func refused(_ refusal: IssuerRefusal, at now: Moment) -> [Step] {
        isReading = false
        failures += 1
        if metadata != nil, now.milliseconds < usableUntil {
            let next = now.spreadOut(after: KeySetPlan.metadataRetry)
            dueAt = next
            return [.report(.metadataKept(refusal)), .schedule(at: next)]
        }
        metadata = nil
        let next = now.spreadOut(after: KeySetPlan.backOff(failures: failures))
        dueAt = next
        let wait = Int((next - now.milliseconds + 999) / 1000)
        return [.report(.refreshFailed(refusal, nextAttemptSeconds: wait)), .schedule(at: next)]
    }
}
