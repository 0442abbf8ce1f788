import Bytes
package import Crypto

/// What logins have in common at all replicas: what they use once, and the request objects that servers fetch (SH-63,
/// SH-64).
///
/// Whoever cannot ask says so, and nothing follows from it: a state is then neither new nor used.
package struct SharedLogins: Sendable {
    private let store: SharedStore
    private let seal: RequestObjectSeal
    private let outcomes: LoginOutcomeSeal

    /// What of a store is for logins; nil where its configuration has them not in it.
    package init?(_ store: SharedStore?) {
        guard let store, store.settings.shares.contains(.logins) else { return nil }
        self.store = store
        seal = RequestObjectSeal(ring: store.ring, format: store.format)
        outcomes = LoginOutcomeSeal(ring: store.ring, format: store.format)
    }

    /// Uses a login's state up, by its digest; false where another replica has.
    package func use(state digest: SHA256Digest, lifetimeSeconds: Int64) async throws(StoreRefusal) -> Bool {
        let use = UseOnce(
            state: store.names.state(digest), lifetimeSeconds: lifetimeSeconds + UseOnce.clockSeconds)
        return try await store.perform(use) == .first
    }

    /// Uses a logout token up, by the digest of its issuer, its client and its `jti`; false where it was used before.
    package func use(
        logoutToken digest: SHA256Digest, until: Int64, now: Int64
    ) async throws(StoreRefusal) -> Bool {
        let use = UseOnce(logoutToken: store.names.logoutToken(digest), until: until, now: now)
        return try await store.perform(use) == .first
    }
}

// MARK: what became of logins

extension SharedLogins {
    /// Notes where the login of a state led, for its browser that comes back with it to another replica.
    ///
    /// The state stays used for as long again. What cannot be noted is known at this replica alone.
    package func note(_ outcome: LoginOutcome, ofState state: [UInt8], lifetimeSeconds: Int64) async {
        let name = store.names.state(SHA256.hash(state.span))
        guard
            let value = try? outcomes.seal(outcome, state: state, under: name, nonce: RandomBytes.fill(12))
        else { return }
        let time = TimeToLive(seconds: lifetimeSeconds + UseOnce.clockSeconds)
        try? await store.perform(NoteOutcome(key: name, value: value, timeToLive: time))
    }

    /// Where the login of a state led; nil where no replica has noted that.
    package func outcome(ofState state: [UInt8]) async throws(StoreRefusal) -> LoginOutcome? {
        let name = store.names.state(SHA256.hash(state.span))
        guard let value = try await store.perform(SeeOutcome(key: name)) else { return nil }
        return try outcomes.open(value, state: state, under: name)
    }
}

// MARK: request objects

extension SharedLogins {
    /// The last segment of the URL of a login's request object: 256 bits in 43 characters, which nobody outside can
    /// compute from the state.
    package func objectName(state: [UInt8]) -> String {
        SharedLogins.text(store.names.requestObjectReferences(state: state)[0])
    }

    /// Keeps a request object under a name; false where there is another one.
    package func host(
        _ object: [UInt8], as name: String, milliseconds: Int64
    ) async throws(StoreRefusal) -> Bool {
        guard let reference = SharedLogins.reference(name) else { return false }
        let key = store.names.requestObject(reference)
        let value: [UInt8]
        do throws(CryptoRefusal) {
            value = try seal.seal(object, reference: reference, under: key, nonce: RandomBytes.fill(12))
        } catch {
            // The library has no memory, or worse.
            throw .unavailable
        }
        return try await store.perform(
            HostRequestObject(key: key, value: value, timeToLive: TimeToLive(milliseconds: milliseconds)))
    }

    /// The object of a name, as long as it was not given out so often; nil where there is none that opens.
    ///
    /// A look does not count as giving out.
    package func object(
        _ name: String, limit: Int, counts: Bool
    ) async throws(StoreRefusal) -> [UInt8]? {
        guard let reference = SharedLogins.reference(name) else { return nil }
        let key = store.names.requestObject(reference)
        let found =
            counts
            ? try await store.perform(FetchRequestObject(key: key, limit: limit))
            : try await store.perform(SeeRequestObject(key: key, limit: limit))
        guard let found else { return nil }
        switch seal.open(found, reference: reference, under: key) {
        case .bytes(let object): return object
        case .unopened(.altered): return nil
        // Another release wrote it, or one with another key: it is there, and nothing says that it is not.
        case .unopened(.keyUnknown), .unreadable: throw .unexpected
        }
    }

    /// Forgets the object of a login that has come back, whichever key of the ring it was named with.
    ///
    /// What cannot be forgotten now is over in two minutes.
    package func removeObject(state: [UInt8]) async {
        for reference in store.names.requestObjectReferences(state: state) {
            await remove(reference)
        }
    }

    /// Forgets the object of a name.
    package func removeObject(_ name: String) async {
        if let reference = SharedLogins.reference(name) { await remove(reference) }
    }

    private func remove(_ reference: Secret) async {
        _ = try? await store.perform(RemoveRequestObject(key: store.names.requestObject(reference)))
    }

    private static func text(_ reference: Secret) -> String {
        let bytes = reference.reveal()
        return Base64URL.encode(bytes.span)
    }

    /// What a segment of a URL stands for; nil for one that no name looks like.
    private static func reference(_ name: String) -> Secret? {
        let text = name.utf8Span
        guard text.count == 43, let bytes = Base64URL.decode(text.span) else { return nil }
        return Secret(bytes)
    }
}
