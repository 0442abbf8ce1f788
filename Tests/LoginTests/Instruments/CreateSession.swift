import Sessions

extension SessionStore {
    /// Keeps a new session, whoever gives way.
    func create(_ session: Session, now: Int64) async throws(SessionStoreRefusal) -> [UInt8] {
        try await create(session, now: now, onLeaving: { _ in })
    }
}
