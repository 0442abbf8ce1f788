package import Crypto
package import Sessions

/// Tokens of a session that was ended without its cookie; whoever gets them revokes them.
package enum OrphanedTokens: Sendable {
    /// A session that was open here.
    case session(Session, keepsRefreshToken: Bool)
    /// What was kept for this in the store.
    case refreshToken(Secret)
}

/// What becomes of the tokens of a session that was ended without its cookie, which the store cannot read (SH-46).
///
///     ended ──the log's line──▶ whoever has it open ──claims──▶ revokes its tokens
///       └────two seconds──────▶ whoever ended it ────claims──▶ revokes the token that is kept there for this
///                                                              or counts that nobody has revoked any
///
/// One process claims the session, by the name that all of them make of its name.
extension SharedSessionStore {
    /// For so long whoever has a session open may claim it first, in milliseconds.
    private static let grace = 2000

    package func claimRevocation(of session: Session) async -> Bool {
        await claims(shared.names.session(session.id)) ?? true
    }

    /// Whether this process is the one to see to a session's tokens; nil where nobody can say.
    ///
    /// Whoever has the tokens revokes them then: twice does no harm, and not at all does.
    func claims(_ name: StoreName) async -> Bool? {
        let claim = UseOnce(claim: shared.names.claim(of: name), timeToLive: lifetime.memoryOfEnding)
        return (try? await questions.perform(claim)).map { $0 == .first }
    }

    /// A line of the log tells of a session that was ended without its cookie; `session` where it was known here.
    func orphaned(_ session: Session?, _ line: StoreLogLine) {
        if let session, session.generation >= line.generation {
            return inBackground { await $0.revoke(session, endedAs: line.kind) }
        }
        // Nobody but the gateways can do it, and none of them is the one.
        guard line.kind == .endedByOperator, let name = shared.names.name(.session, suffix: line.suffix) else { return }
        seeLater(to: [name], endedAs: line.kind)
    }

    /// Revokes the tokens of a session that was open here, unless somebody else does.
    func revoke(_ session: Session, endedAs kind: StoreLogLine.Kind) async {
        guard await claimRevocation(of: session) else { return }
        let isKept = kind == .endedByServer && session.scopes.contains("offline_access")
        onOrphan(.session(session, keepsRefreshToken: isKept))
        if revocable != nil { await forgetRevocable(shared.names.session(session.id)) }
    }

    /// Sees to the tokens of sessions that were ended, once those who have them open have had their turn.
    func seeLater(to names: [StoreName], endedAs kind: StoreLogLine.Kind) {
        guard !names.isEmpty else { return }
        inBackground { store in
            await store.pause(Self.grace)
            for name in names { await store.see(to: name, endedAs: kind) }
        }
    }

    private func see(to name: StoreName, endedAs kind: StoreLogLine.Kind) async {
        var token: RevocableToken?
        do throws(SessionStoreRefusal) {
            if let value = try await questions.perform(ReadRevocable(key: name)) {
                token = revocable?.open(value, under: name)
                // Another client's: its own store opens it.
                if token == nil { return }
            }
        } catch {
            return
        }
        guard await claims(name) == true else { return }
        guard let token else { return shared.figures.countSkippedRevocation() }
        if kind != .endedByServer || !token.isOffline { onOrphan(.refreshToken(token.refreshToken)) }
        await forgetRevocable(name)
    }

    private func forgetRevocable(_ name: StoreName) async {
        // It goes with the tombstone otherwise.
        try? await questions.perform(RemoveRevocable(key: name))
    }

    /// A session's refresh token as it is kept for its revocation; nil where none is.
    func sealedForRevocation(_ session: Session, _ name: StoreName) throws(SessionStoreRefusal) -> [UInt8]? {
        try revocable?.seal(session, under: name, nonce: RandomBytes.fill(AEADKey.nonceLength))
    }
}
