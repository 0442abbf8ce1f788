import JSON

extension UserEndpoint {
    /// What is known of a user's address of mail.
    public enum Email: Sendable, Equatable {
        /// What the answer about the user says, which nobody verified.
        case said
        /// What the endpoint of addresses says is verified; nil where it is of none.
        case verified(String?)
    }

    /// The JSON object a session keeps of its user: `iss`, `sub`, and those of `names` that the answer has.
    ///
    /// `iss` is the configured issuer, whatever the answer says (OIDC-18). It is not asked about the login: an `acr` or
    /// an `auth_time` of its own means nothing, nor does an `email_verified` (OIDC-19).
    public static func claims(of user: User, issuer: String, email: Email, names: [String]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("iss")
        writer.string(issuer)
        writer.name("sub")
        writer.string(user.subject)
        // No name is written twice: readers differ in which of two members they take.
        var written: Set<[UInt8]> = [Array("iss".utf8), Array("sub".utf8)]
        for name in names where written.insert(Array(name.utf8)).inserted {
            switch ClaimKind(name) {
            case .ofUser:
                guard let value = user.answer[name], !value.isNull else { continue }
                writer.name(name)
                writer.value(value)
            case .ofEmail: write(name, of: user, email, to: &writer)
            case .ofLogin, .ofNobody: continue
            }
        }
        writer.endObject()
        return writer.finish()
    }

    private static func write(_ name: String, of user: User, _ email: Email, to writer: inout JSONWriter) {
        let address: String
        let isVerified: Bool
        switch email {
        case .verified(let verified?): (address, isVerified) = (verified, true)
        case .verified(nil): return
        case .said:
            guard let said = user.answer["email"]?.string else { return }
            (address, isVerified) = (said, false)
        }
        writer.name(name)
        if name.utf8.elementsEqual("email".utf8) { writer.string(address) } else { writer.bool(isVerified) }
    }
}
