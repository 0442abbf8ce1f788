package import JOSE
package import OAuth

/// One issuer's keys over time: when they are read, from where, and how long they are believed.
///
/// Events come in, steps go out; whoever owns the clock and the network performs them. At most one reading is under
/// way, whatever happens meanwhile.
///
///               metadata due                 accepted
///       ┌──────────────────────▶ metadata ────────────────┐
///       │                          ▲   │ refused: the      │
///       │    due, unknown key      │   │ old document      ▼
///     idle ────────────────────────│───┴───────────────▶ keys
///       ▲                          └──────────────────────┤ refused: they may have moved
///       │     accepted: fresh until due, then again       │
///       ├─────────────────────────────────────────────────┤
///       └─────────────────────────────────────────────────┘
///             refused: again after 1 s, 2 s, 4 s … 60 s
///
/// - idle: nothing is under way; the timer knows when something is due.
/// - metadata: the authorization server's document is being read (MD-02 … MD-05).
/// - keys: the JWK Set is being read (MD-06).
///
/// Beside it, keys once accepted stay usable past their freshness until `staleLimit` is over; then there are none, and
/// tokens are answered 503 (D-17): a gateway that goes on with keys it cannot renew would honour a revoked one forever.
package struct KeySetState: Sendable {
    /// Something the driver must do, in the order given.
    package enum Step: Sendable, Equatable {
        /// Read the metadata and call `metadataAccepted` or `refused`.
        case fetchMetadata
        /// Read the JWK Set there and call `keysAccepted` or `refused`.
        case fetchKeys(url: String)
        /// Hand out what `keys` holds now: a snapshot, or nil when there is none to go on with.
        case publish
        /// Call `timerFired` at that monotonic time, and forget what was scheduled before.
        case schedule(at: Int64)
        /// Tell everyone who asked for a refresh that it has ended, whatever came of it.
        case endRefresh
        /// Tell those who asked for a refresh as that, and nobody else, that there is none.
        case refuseRefresh(KeyRequester)
        case report(IssuerEvent)
    }

    private enum Flight: Equatable {
        case idle
        /// `cause` is why the keys could not be read from the location at hand, when that is the reason for reading.
        case metadata(cause: IssuerRefusal?)
        /// `mayHaveMoved` when the location comes from an earlier reading of the metadata.
        case keys(mayHaveMoved: Bool)
    }

    private var plan: KeySetPlan
    private var flight: Flight
    private var isAwaited = false
    private var budgets: [KeyAsker: KeyReadingBudget] = [:]

    /// The document that is believed, for the endpoints it names; nil when the keys do not come from there.
    package private(set) var metadata: ServerMetadata?
    /// A document that points elsewhere, not believed until keys were read from there (MD-05).
    private var offered: ServerMetadata?
    private var metadataDue = Int64.min
    private var metadataUsableUntil = Int64.min

    /// The keys to verify with, or nil when none may be used.
    package private(set) var keys: IssuerKeys?
    private var inventory = KeyInventory()
    private var version: UInt64 = 0
    private var generation: UInt64 = 0
    private var keysDue = Int64.min
    private var keysUsableUntil = Int64.min

    private var retryAt: Int64?
    /// What `IssuerDirectory.status` tells.
    package private(set) var status = IssuerStatus()

    /// An issuer of which nothing is known yet.
    ///
    /// A static document is at hand already: the driver calls `keysAccepted` or `refused` next, and nothing else.
    package init(plan: KeySetPlan) {
        self.plan = plan
        flight = plan.source == .document ? .keys(mayHaveMoved: false) : .idle
        guard plan.source == .absent else { return }
        keysDue = .max
        status.readiness = .ready
    }
}

// MARK: continuation

extension KeySetState {
    /// An issuer that takes the name of another, or of itself with keys from elsewhere.
    ///
    /// Numbers go on, so that what was verified before is not believed for having the same number (JOSE-34): when the
    /// `url` is another the generation rises; when only the source of the keys is another it rises if the new source
    /// lacks one. What was spent of the readings for unknown keys stays spent.
    package init(plan: KeySetPlan, after other: KeySetState, isSameServer: Bool) {
        self.init(plan: plan)
        version = other.version
        generation = other.generation + (isSameServer ? 0 : 1)
        inventory = isSameServer ? other.inventory : KeyInventory()
        budgets = other.budgets
    }

    /// The same knowledge for another driver with other limits: what is under way counts as not begun, and is due.
    ///
    /// With `readsAnew` everything is due at once; what is known is believed until it was read, or for as long as
    /// it may be without.
    package func continued(plan: KeySetPlan, readsAnew: Bool, at now: Moment) -> KeySetState {
        var state = self
        state.plan = plan
        guard plan.source != .document, plan.source != .absent else { return state }
        if flight != .idle || readsAnew { state.retryAt = now.milliseconds }
        if offered != nil || readsAnew { state.metadataDue = now.milliseconds }
        state.flight = .idle
        state.offered = nil
        state.applyLimits(at: now)
        return state
    }

    private mutating func applyLimits(at now: Moment) {
        guard let known = keys else { return }
        // A tenth more than the longest lifetime: as far as a plan is ever spread out.
        keysDue = min(keysDue, now.milliseconds + plan.lifetime.upperBound / 10 * 11)
        let until = keysDue + plan.staleLimit
        guard until != keysUsableUntil else { return }
        keysUsableUntil = until
        let lasts = (until - now.milliseconds) / 1000 + now.wallSeconds
        keys = IssuerKeys(
            generation: known.generation, version: known.version, keySet: known.keySet, fetchedAt: known.fetchedAt,
            usableUntil: lasts)
        status.usableUntil = lasts
    }

    /// Goes on after `continued`: tells the keys at hand, and reads what is due.
    package mutating func resume(at now: Moment) -> [Step] {
        (keys == nil ? [] : [.publish]) + timerFired(at: now)
    }
}

// MARK: what happens

extension KeySetState {
    /// The gateway has started.
    package mutating func start(at now: Moment) -> [Step] {
        guard flight == .idle, status.readiness == .waiting else { return [] }
        return begin(at: now)
    }

    /// Something is due.
    package mutating func timerFired(at now: Moment) -> [Step] {
        var steps = withdrawIfTooOld(at: now)
        if flight == .idle, now.milliseconds >= nextAttempt { steps += begin(at: now) }
        return steps + schedule()
    }

    /// Something was signed by none of `keys`: it names another one, or one that has been replaced under its name.
    ///
    /// Ends with `endRefresh` or `refuseRefresh` in every case, at once or later.
    package mutating func unknownKeyMet(
        by requester: KeyRequester = KeyRequester(.accessToken), at now: Moment
    ) -> [Step] {
        guard plan.source != .document, plan.source != .absent else { return [.endRefresh] }
        if flight != .idle {
            isAwaited = true
            return []
        }
        if requester.asker.isBounded,
            !budgets[requester.asker, default: KeyReadingBudget()].take(
                for: requester.client, at: now.milliseconds, interval: plan.unknownKeyInterval)
        {
            return [.report(.unknownKeyRefetchSuppressed), .refuseRefresh(requester)]
        }
        isAwaited = true
        return [.report(.unknownKeyRefetch)] + begin(at: now) + schedule()
    }

    /// The metadata was read and is this issuer's.
    package mutating func metadataAccepted(_ found: ServerMetadata, maxAgeSeconds: Int?, at now: Moment) -> [Step] {
        guard case .metadata(let cause) = flight else { return [] }
        guard let location = found.jwksURI else { return refused(.metadata(.keySetLocationMissing), at: now) }
        metadataDue = now.spreadOut(after: KeySetPlan.metadataFreshness(maxAgeSeconds: maxAgeSeconds))
        var steps = [Step.report(.metadataAccepted(jwksURI: location))]
        if let known = metadata?.jwksURI, known != location {
            offered = found
            if let change = IssuerEvent.hostChange(from: known, to: location) {
                steps += [.report(change)]
            }
        } else {
            adopt(found, at: now)
            // The keys could not be read from there a moment ago: asking again at once would be hammering.
            if let cause { return steps + fail(cause, at: now) }
        }
        flight = .keys(mayHaveMoved: false)
        return steps + [.fetchKeys(url: location)]
    }

    /// The keys were read; without one usable key among them they count as refused.
    package mutating func keysAccepted(_ set: KeySet, maxAgeSeconds: Int?, at now: Moment) -> [Step] {
        guard case .keys = flight else { return [] }
        guard !set.keys.isEmpty else { return refused(.noUsableKeys(ignored: set.ignored.count), at: now) }
        if let offered { adopt(offered, at: now) }
        flight = .idle
        setTimes(maxAgeSeconds: maxAgeSeconds, at: now)
        let event = take(set, at: now)
        let exposed = set.ignored.count(where: \.reason.isAlarm)
        return [.publish, .report(event)] + (exposed > 0 ? [.report(.privateKeyExposed(count: exposed))] : [])
            + guessable(in: set, after: event) + endRefresh() + schedule()
    }

    /// What was being read could not be read or believed.
    package mutating func refused(_ refusal: IssuerRefusal, at now: Moment) -> [Step] {
        switch flight {
        case .idle: return []
        case .metadata(let cause?):
            return [.report(.metadataKept(refusal))] + fail(cause, at: now)
        case .metadata(nil):
            guard let location = metadata?.jwksURI, now.milliseconds < metadataUsableUntil else {
                metadata = nil
                return fail(refusal, at: now)
            }
            metadataDue = now.spreadOut(after: KeySetPlan.metadataRetry)
            flight = .keys(mayHaveMoved: false)
            return [.report(.metadataKept(refusal)), .fetchKeys(url: location)]
        case .keys(let mayHaveMoved):
            if mayHaveMoved {
                flight = .metadata(cause: refusal)
                return [.fetchMetadata]
            }
            if offered != nil {
                // The old document and its location stay in use until the new one proves itself.
                metadataDue = now.spreadOut(after: KeySetPlan.metadataRetry)
            }
            return fail(refusal, at: now)
        }
    }
}

// MARK: what follows

extension KeySetState {
    private mutating func begin(at now: Moment) -> [Step] {
        switch plan.source {
        case .document, .absent:
            return []
        case .url(let url):
            flight = .keys(mayHaveMoved: false)
            return [.fetchKeys(url: url)]
        case .discovered:
            guard let location = metadata?.jwksURI, now.milliseconds < metadataDue else {
                flight = .metadata(cause: nil)
                return [.fetchMetadata]
            }
            flight = .keys(mayHaveMoved: true)
            return [.fetchKeys(url: location)]
        }
    }

    private mutating func adopt(_ document: ServerMetadata, at now: Moment) {
        metadata = document
        offered = nil
        metadataUsableUntil = now.milliseconds + KeySetPlan.metadataStaleLimit
        status.jwksURI = document.jwksURI
    }

    private mutating func setTimes(maxAgeSeconds: Int?, at now: Moment) {
        guard plan.source != .document else {
            (keysDue, keysUsableUntil) = (.max, .max)
            return
        }
        keysDue = now.spreadOut(after: plan.freshness(maxAgeSeconds: maxAgeSeconds))
        keysUsableUntil = keysDue + plan.staleLimit
    }

    /// Puts `set` in the place of the keys at hand: what vanished from it is gone at once.
    private mutating func take(_ set: KeySet, at now: Moment) -> IssuerEvent {
        let found = KeyInventory(set)
        let removed = inventory.countMissing(in: found)
        let isSame = found == inventory && version > 0
        if !isSame { version += 1 }
        if generation == 0 || removed > 0 { generation += 1 }
        inventory = found
        let lasts = keysUsableUntil == .max ? Int64.max : (keysUsableUntil - now.milliseconds) / 1000 + now.wallSeconds
        keys = IssuerKeys(
            generation: generation, version: version, keySet: set, fetchedAt: now.wallSeconds, usableUntil: lasts)
        retryAt = nil
        status.readiness = .ready
        status.lastRefusal = nil
        status.failures = 0
        status.keyCount = set.keys.count
        status.ignoredKeyCount = set.ignored.count
        status.fetchedAt = now.wallSeconds
        status.usableUntil = lasts
        if case .url(let url) = plan.source { status.jwksURI = url }
        return isSame
            ? .keysUnchanged(count: set.keys.count)
            : .keysPublished(
                count: set.keys.count, ignored: set.ignored.count { $0.reason != .notForSignatures }, removed: removed)
    }

    /// A warning of keys in use that others may sign with, where they were not in use before.
    private func guessable(in set: KeySet, after event: IssuerEvent) -> [Step] {
        guard case .keysPublished = event else { return [] }
        let count = set.keys.count(where: \.isGuessable)
        return count > 0 ? [.report(.guessableKeys(count: count))] : []
    }

    private mutating func fail(_ refusal: IssuerRefusal, at now: Moment) -> [Step] {
        flight = .idle
        offered = nil
        status.lastRefusal = refusal
        status.failures += 1
        var wait: Int?
        if plan.source == .document {
            retryAt = .max
        } else {
            let next = now.spreadOut(after: KeySetPlan.backOff(failures: status.failures))
            retryAt = next
            wait = Int((next - now.milliseconds + 999) / 1000)
        }
        var steps = [Step.report(.refreshFailed(refusal, nextAttemptSeconds: wait))]
        steps += withdrawIfTooOld(at: now)
        if keys == nil {
            status.readiness = .failed
        } else if now.milliseconds >= keysDue, status.readiness != .stale {
            status.readiness = .stale
            let left = Int((keysUsableUntil - now.milliseconds) / 1000)
            steps.append(.report(.stale(withdrawnInSeconds: left)))
        }
        return steps + endRefresh() + schedule()
    }

    private mutating func withdrawIfTooOld(at now: Moment) -> [Step] {
        guard keys != nil, now.milliseconds >= keysUsableUntil else { return [] }
        keys = nil
        status.readiness = .failed
        status.keyCount = 0
        status.usableUntil = nil
        return [.publish, .report(.withdrawn)]
    }

    private mutating func endRefresh() -> [Step] {
        guard isAwaited else { return [] }
        isAwaited = false
        return [.endRefresh]
    }

    /// When a reading is due; meaningful while idle.
    private var nextAttempt: Int64 {
        if let retryAt { return retryAt }
        return plan.source == .discovered ? min(keysDue, metadataDue) : keysDue
    }

    private func schedule() -> [Step] {
        let withdrawal = keys == nil ? Int64.max : keysUsableUntil
        let next = min(flight == .idle ? nextAttempt : .max, withdrawal)
        return next == .max ? [] : [.schedule(at: next)]
    }
}
