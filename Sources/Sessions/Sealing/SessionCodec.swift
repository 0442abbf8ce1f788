package import Crypto

/// Sessions as bytes: what is sealed into a cookie.
///
///     flags ‖ id ‖ issuer ‖ subject ‖ claims ‖ scopes ‖ times ‖ generation ‖ what the flags announce
///
/// The client's name is not among them: it is what the seal is bound to.
package enum SessionCodec {
    private struct Parts: OptionSet {
        let rawValue: UInt8
        static let serverSession = Parts(rawValue: 1)
        static let accessToken = Parts(rawValue: 2)
        static let expiry = Parts(rawValue: 4)
        static let proofKey = Parts(rawValue: 8)
        static let refreshToken = Parts(rawValue: 16)
        static let idToken = Parts(rawValue: 32)
        static let nonceDigest = Parts(rawValue: 64)
        /// Announces nothing: it is not known whose the tokens are.
        static let unconfirmed = Parts(rawValue: 128)
    }

    /// The bytes of a session.
    package static func encode(_ session: Session) -> [UInt8] {
        var parts: Parts = []
        if session.serverSession != nil { parts.insert(.serverSession) }
        if session.accessToken != nil { parts.insert(.accessToken) }
        if session.accessTokenExpiresAt != .max { parts.insert(.expiry) }
        if session.proofKey != nil { parts.insert(.proofKey) }
        if session.refreshToken != nil { parts.insert(.refreshToken) }
        if session.idToken != nil { parts.insert(.idToken) }
        if session.nonceDigest != nil { parts.insert(.nonceDigest) }
        if !session.isConfirmed { parts.insert(.unconfirmed) }
        var writer = FieldWriter()
        writer.byte(parts.rawValue)
        writer.block(session.id)
        writer.text(session.issuer)
        writer.text(session.subject)
        writer.block(session.claims)
        writer.texts(session.scopes)
        // Times are near each other: all but one are written as their distance, which wraps and so never traps.
        writer.time(session.createdAt)
        writer.time(session.seenAt &- session.createdAt)
        writer.time(session.endsAt &- session.createdAt)
        writer.time(session.accessTokenIssuedAt &- session.createdAt)
        writer.number(UInt64(session.generation))
        if let serverSession = session.serverSession { writer.text(serverSession) }
        if let token = session.accessToken { writer.token(token.reveal()) }
        if parts.contains(.expiry) { writer.time(session.accessTokenExpiresAt &- session.createdAt) }
        if let key = session.proofKey { writer.block(key.reveal()) }
        if let token = session.refreshToken { writer.token(token.reveal()) }
        if let token = session.idToken { writer.token(token.reveal()) }
        if let digest = session.nonceDigest { writer.block(digest) }
        return writer.bytes
    }

    /// The session of a client; nil for bytes that are not one from the first to the last.
    package static func decode(_ bytes: [UInt8], client: String) -> Session? {
        var reader = FieldReader(bytes)
        guard let session = try? read(&reader, client: client), reader.isAtEnd else { return nil }
        return session
    }

    /// The same for whoever knows which session it should be, by its identifier, and has the digest of that at hand.
    package static func decode(
        _ bytes: [UInt8], client: String, expecting id: [UInt8], _ digest: SHA256Digest
    ) -> Session? {
        var reader = FieldReader(bytes)
        guard let session = try? read(&reader, client: client, expecting: (id, digest)), reader.isAtEnd else {
            return nil
        }
        return session
    }

    private static func read(
        _ reader: inout FieldReader, client: String, expecting known: (id: [UInt8], digest: SHA256Digest)? = nil
    ) throws(Malformed) -> Session {
        let parts = Parts(rawValue: try reader.byte())
        var fields = Session.Fields(
            id: try reader.block(), client: client, issuer: try reader.text(), subject: try reader.text(),
            claims: try reader.block(), scopes: try reader.texts())
        let createdAt = try reader.time()
        let seenAt = createdAt &+ (try reader.time())
        let endsAt = createdAt &+ (try reader.time())
        let accessTokenIssuedAt = createdAt &+ (try reader.time())
        guard let generation = UInt32(exactly: try reader.number()) else { throw Malformed() }
        if parts.contains(.serverSession) { fields.serverSession = try reader.text() }
        if parts.contains(.accessToken) { fields.accessToken = Secret(try reader.token()) }
        let accessTokenExpiresAt = parts.contains(.expiry) ? createdAt &+ (try reader.time()) : .max
        if parts.contains(.proofKey) { fields.proofKey = Secret(try reader.block()) }
        if parts.contains(.refreshToken) { fields.refreshToken = Secret(try reader.token()) }
        if parts.contains(.idToken) { fields.idToken = Secret(try reader.token()) }
        if parts.contains(.nonceDigest) { fields.nonceDigest = try reader.block() }
        // The digest is the right one for this identifier alone.
        let digest = known.flatMap { $0.id == fields.id ? $0.digest : nil }
        var session = Session(fields, createdAt: createdAt, endsAt: endsAt, idDigest: digest)
        session.seenAt = seenAt
        session.accessTokenIssuedAt = accessTokenIssuedAt
        session.accessTokenExpiresAt = accessTokenExpiresAt
        session.generation = generation
        session.isConfirmed = !parts.contains(.unconfirmed)
        return session
    }
}
