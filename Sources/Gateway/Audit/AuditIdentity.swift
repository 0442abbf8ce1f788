import Access
import Bytes
import Crypto
import JSON
import Telemetry

/// Who an audit line is about, as the token or the session says it.
struct AuditIdentity: Sendable, Hashable {
    var issuer: String
    /// `sub`; nil where nobody said it.
    var subject: String?
    var clientID: String?
    /// `jti`.
    var tokenID: String?
    /// What logs call the session.
    var session: UInt64?

    init(issuer: String, subject: String?, clientID: String? = nil, tokenID: String? = nil, session: UInt64? = nil) {
        self.issuer = issuer
        self.subject = subject
        self.clientID = clientID
        self.tokenID = tokenID
        self.session = session
    }

    /// Of a token that was verified, or of a session.
    init(_ token: TokenRecord, issuer: String) {
        let claims = token.claims
        let clientID = String(decoding: [UInt8](copying: token.clientID), as: UTF8.self)
        self.init(
            issuer: issuer, subject: claims?["sub"]?.string, clientID: clientID.isEmpty ? nil : clientID,
            tokenID: token.session == nil ? claims?["jti"]?.string : nil, session: token.session?.reference)
    }

    /// The user, or the client that acts for itself: whose lines are counted together, whatever token or session they are
    /// of.
    var holder: AuditIdentity {
        AuditIdentity(issuer: issuer, subject: subject, clientID: subject == nil ? clientID : nil)
    }
}

/// How audit lines name people.
struct AuditNames: Sendable {
    private let subject: AuditSettings.Subject
    private let mac: MAC

    /// - Throws: for a key that is shorter than 32 bytes.
    init(_ settings: AuditSettings) throws(GatewayFailure) {
        subject = settings.subject
        do throws(CryptoRefusal) {
            mac = try MAC(.sha256, key: settings.subjectKey ?? Secret(RandomBytes.fill(32)))
        } catch {
            throw GatewayFailure(
                "subjects cannot be named in the audit log", "audit.subject_key is shorter than 32 bytes")
        }
    }

    /// The members that say who it was.
    func fields(of identity: AuditIdentity) -> [AuditField] {
        var fields = [AuditField(.issuer, identity.issuer)]
        if let subject = identity.subject, let name = name(of: subject, at: identity.issuer) {
            fields.append(AuditField(.subject, name))
        }
        if let clientID = identity.clientID { fields.append(AuditField(.clientID, clientID)) }
        if let tokenID = identity.tokenID {
            fields.append(AuditField(.tokenIDHash, Hex.encode(SHA256.hash(tokenID.utf8Span.span).bytes.span)))
        }
        if let session = identity.session { fields.append(AuditField(.session, LoginReports.digits(session))) }
        return fields
    }

    /// A digest is of both, a line each: `sub` means nothing without its issuer (OIDC-13), whose URL has no line break.
    private func name(of subject: String, at issuer: String) -> String? {
        switch self.subject {
        case .hashed: Hex.encode(mac.authenticate("\(issuer)\n\(subject)".utf8Span.span).span)
        case .plain: subject
        case .none: nil
        }
    }
}
