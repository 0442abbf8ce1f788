import Bytes
import JOSE
import JSON

/// Claims that an OpenID provider signed, and the checks that ID tokens, logout tokens and userinfo share.
package struct ProviderClaims {
    /// Every claim.
    let claims: JSONValue

    init(_ claims: JSONValue) {
        self.claims = claims
    }

    /// Bytes of a `sid` or a `jti`: both are kept, one of them in cookies.
    package static let maximumNameBytes = 256

    /// Refuses unless `iss` is exactly `issuer`, byte by byte (OIDC-02).
    func checkIssuer(_ issuer: String) throws(ClaimRefusal) {
        guard let value = claims["iss"] else { throw .missing("iss") }
        guard let found = value.string else { throw .malformed("iss") }
        guard value.equals(issuer) else { throw .issuerMismatch(found) }
    }

    /// `aud`, when it names the client, and nobody beside it but those trusted (OIDC-03).
    func audiences(_ rules: IDTokenRules) throws(ClaimRefusal) -> [String] {
        guard let value = claims["aud"] else { throw .missing("aud") }
        let elements = value.kind == .array ? value.elements : [value]
        guard !elements.isEmpty, elements.allSatisfy({ $0.kind == .string }) else { throw .malformed("aud") }
        guard elements.contains(where: { $0.equals(rules.clientID) }) else { throw .audienceMismatch }
        for element in elements where !element.equals(rules.clientID) {
            // Whoever else holds the token could log in here as its user.
            guard rules.trustedAudiences.contains(where: { element.equals($0) })
            else { throw .audienceNotTrusted(element.string ?? "") }
        }
        // The others could only verify the token with our secret, and then they could make one too (OIDC-06).
        if case .secret = rules.signature, elements.count > 1 { throw .secretShared }
        return elements.map { $0.string ?? "" }
    }

    /// A date; nil when absent.
    func date(_ name: String) throws(ClaimRefusal) -> NumericDate? {
        guard let value = claims[name] else { return nil }
        guard let date = NumericDate(value) else { throw .malformed(name) }
        return date
    }

    /// `sub`: 1 to 255 printable ASCII characters; nil when absent (OpenID Connect Core §2).
    ///
    /// Control characters are in no server's identifiers, and in many places where one would end a line or a string.
    func subject() throws(ClaimRefusal) -> String? {
        guard let value = claims["sub"] else { return nil }
        guard let bytes = value.utf8Slice, (1...255).contains(bytes.count),
            bytes.allSatisfy({ (0x20...0x7E).contains($0) })
        else { throw .malformed("sub") }
        return value.string
    }

    /// A `sid` or a `jti`: a string that is neither empty nor long; nil when absent.
    func name(_ name: String) throws(ClaimRefusal) -> String? {
        guard let value = claims[name] else { return nil }
        guard let count = value.utf8Count, (1...Self.maximumNameBytes).contains(count) else { throw .malformed(name) }
        return value.string
    }

    /// Whether `events` has the member that makes a JWT a logout token.
    var speaksOfLogout: Bool { claims["events"]?[LogoutToken.event] != nil }
}
