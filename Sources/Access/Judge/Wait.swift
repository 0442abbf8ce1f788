package import Crypto

/// What a request must wait for before its judgement can end; it is then judged once more.
package enum Wait: Equatable, Sendable {
    case nothing
    /// An issuer's keys.
    case keys(issuer: Int)
    /// What an issuer says about itself: the endpoints are there.
    case metadata(issuer: Int)
    /// The authorization server's word on a token (RFC 7662), by the digest under which its record is kept.
    case introspection(issuer: Int, SHA256Digest)
    /// A token for the upstream in exchange for this one (RFC 8693).
    case exchange(rule: Int, SHA256Digest)
    /// A session that its store or its authorization server must be asked about, by its cookie's digest.
    case session(login: Int, SHA256Digest)
    /// What the store of all replicas says of the proof, which is used up here.
    case proof
    /// A place among the logins' requests that are being answered.
    case loginPlace
    /// The answer to a login's own request.
    case login(ticket: UInt64)
}

/// What a wait has brought a request.
package enum Lookup {
    case none
    /// The token is good, or there is a session; its record, of which the request holds one use.
    case active(TokenRecord)
    /// It is not, or nobody can say; in a place of its own, so that the requests that ask nobody stay small.
    indirect case refused(Refused)
}
