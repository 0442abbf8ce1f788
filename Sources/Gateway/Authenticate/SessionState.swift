import Access
import Issuers
import Login
import OAuth
import Sessions

/// What a worker keeps of a session beside its record: what changes, and what the upstream may be shown.
///
/// In a place of its own, so that the record stays plain memory; freed with it.
struct SessionState {
    let session: Session
    /// Which login it is of, by its place in the settings: a session of one client is none at another.
    let login: Int
    /// Where it is kept, whatever the settings are by now.
    let store: any SessionStore
    /// The value of its cookie, the newest that this worker knows.
    let value: [UInt8]
    /// The store's count of endings when it was last asked whether this one had ended.
    var endings: UInt64
    /// Unix seconds: from then on its tokens are to be refreshed.
    var refreshAt: Int64
    /// Unix seconds: from then on the store is told that it is in use.
    let touchAt: Int64
    /// Makes proofs for the upstream with the key that its tokens are bound to (RFC 9449 §7.1).
    let proofs: ProofMaker?
    /// What logs call it.
    let reference: UInt64

    static func make(_ state: SessionState) -> UnsafeMutablePointer<SessionState> {
        let place = UnsafeMutablePointer<SessionState>.allocate(capacity: 1)
        place.initialize(to: state)
        return place
    }

    static func free(_ place: UnsafeMutablePointer<SessionState>) {
        place.deinitialize(count: 1)
        place.deallocate()
    }
}
