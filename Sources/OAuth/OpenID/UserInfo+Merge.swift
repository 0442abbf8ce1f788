public import JSON

extension UserInfo {
    /// The JSON object a session keeps of its user: `iss`, `sub`, and those of `names` that somebody vouches for.
    ///
    /// The ID token is asked first, then the userinfo, then `previous`, the session's claims before a refresh. About
    /// the login itself the userinfo is not asked, and about `_claim_names` and `_claim_sources` nobody is: what they
    /// point to is never fetched (OIDC-15). With `requiresVerifiedEmail`, `email` is one that its own source says is
    /// verified, or absent (OIDC-13).
    public static func merge(
        idToken: VerifiedIDToken, userInfo: JSONValue? = nil, previous: JSONValue? = nil, names: [String],
        requiresVerifiedEmail: Bool
    ) -> [UInt8] {
        let sources = ClaimSources(idToken: idToken.claims, userInfo: userInfo, previous: previous)
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("iss")
        writer.string(idToken.issuer)
        writer.name("sub")
        writer.string(idToken.subject)
        // No name is written twice: readers differ in which of two members they take.
        var written: Set<[UInt8]> = [Array("iss".utf8), Array("sub".utf8)]
        let email = sources.emailSource(requiresVerifiedEmail: requiresVerifiedEmail)
        for name in names where written.insert(Array(name.utf8)).inserted {
            let value =
                switch ClaimKind(name) {
                case .ofUser: sources.ofUser(name)
                case .ofLogin: sources.ofLogin(name)
                case .ofEmail: email?[name]
                case .ofNobody: nil as JSONValue?
                }
            guard let value, !value.isNull else { continue }
            writer.name(name)
            writer.value(value)
        }
        writer.endObject()
        return writer.finish()
    }
}

/// Those who say something about a user, in the order in which they are believed.
private struct ClaimSources {
    let idToken: JSONValue
    let userInfo: JSONValue?
    let previous: JSONValue?

    func ofUser(_ name: String) -> JSONValue? {
        for source in [idToken, userInfo, previous] {
            if let value = source?[name], !value.isNull { return value }
        }
        return nil
    }

    func ofLogin(_ name: String) -> JSONValue? { idToken[name] ?? previous?[name] }

    /// Whose `email` counts; its `email_verified` is about that address and no other.
    func emailSource(requiresVerifiedEmail: Bool) -> JSONValue? {
        let fresh = [idToken, userInfo].compactMap { $0 }
        for source in fresh where source["email"]?.kind == .string {
            if !requiresVerifiedEmail || source["email_verified"]?.bool == true { return source }
        }
        // Verified at login; unless the server now says something else about it.
        guard !fresh.contains(where: { $0["email"] != nil || $0["email_verified"] != nil }) else { return nil }
        return previous
    }
}
