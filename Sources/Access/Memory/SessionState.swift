package import Crypto
package import OAuth
package import Sessions

/// What a worker keeps of a session beside its record: what it is, and what the upstream may be shown.
///
/// In a place of its own, so that the records of tokens stay small. A value of this type is good until `free`, which the
/// record calls that it was given to.
@safe
package struct SessionState {
    package struct Storage {
        package let session: Session
        @usableFromInline let login: Int
        package let store: any SessionStore
        @usableFromInline let endings: UInt64
        @usableFromInline let proofs: ProofMaker?
        @usableFromInline let idTokenExpiresAt: Int64
        @usableFromInline let reference: UInt64
        @usableFromInline let isElsewhere: Bool
        @usableFromInline let id: SHA256Digest
        @usableFromInline let usableUntil: Int64
    }

    // Written once, when it is made, and there until `free`.
    @usableFromInline let storage: UnsafeMutablePointer<Storage>

    /// Keeps a session of a login, which `store` has had so many endings of when it was asked.
    ///
    /// What was made of it is good until `usableUntil`, as long as the store says that it is the same.
    package init(
        _ session: Session, login: Int, store: any SessionStore, endings: UInt64, proofs: ProofMaker?,
        idTokenExpiresAt: Int64 = 0, usableUntil: Int64 = .max
    ) {
        unsafe storage = UnsafeMutablePointer<Storage>.allocate(capacity: 1)
        unsafe storage.initialize(
            to: Storage(
                session: session, login: login, store: store, endings: endings, proofs: proofs,
                idTokenExpiresAt: idTokenExpiresAt, reference: session.reference, isElsewhere: store.isElsewhere,
                id: session.idDigest,
                usableUntil: usableUntil))
    }

    /// The session, lent and not copied.
    @inlinable
    package var session: Session { _read { yield unsafe storage.pointee.session } }

    /// Which login it is of, by its place in the settings: a session of one client is none at another.
    @inlinable
    package var login: Int { unsafe storage.pointee.login }

    /// Where it is kept, whatever the settings are by now.
    @inlinable
    package var store: any SessionStore { unsafe storage.pointee.store }

    /// The store's count of endings when it was last asked whether this one had ended.
    @inlinable
    package var endings: UInt64 { unsafe storage.pointee.endings }

    /// Makes proofs for the upstream with the key that its tokens are bound to (RFC 9449 §7.1).
    @inlinable
    package var proofs: ProofMaker? { _read { yield unsafe storage.pointee.proofs } }

    /// When its ID token is over, in Unix seconds; 0 where it has none that an upstream may be shown.
    @inlinable
    package var idTokenExpiresAt: Int64 { unsafe storage.pointee.idTokenExpiresAt }

    /// What logs call it.
    @inlinable
    package var reference: UInt64 { unsafe storage.pointee.reference }

    /// Whether its store is another process's, which was not asked where this is found.
    @inlinable
    package var isElsewhere: Bool { unsafe storage.pointee.isElsewhere }

    /// The digest of its identifier, by which a store knows it.
    @inlinable
    package var id: SHA256Digest { unsafe storage.pointee.id }

    /// Unix seconds: from then on it is looked up again, whatever the store says.
    @inlinable
    package var usableUntil: Int64 { unsafe storage.pointee.usableUntil }

    /// Ends it.
    func free() {
        unsafe storage.deinitialize(count: 1)
        unsafe storage.deallocate()
    }
}
