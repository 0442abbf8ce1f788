public import HTTPMessage
public import JSON

/// What an OAuth 2.0 server that is no OpenID provider says of whom an access token is for, at an endpoint of its own.
///
/// Nothing of it is signed. It is believed because of whom it came from, by TLS, for a token that came from the same
/// server's token endpoint a moment ago (OIDC-18).
public enum UserEndpoint {
    /// Largest answer read, in bytes.
    public static let maximumBytes = UserInfo.maximumBytes

    /// Whose token it was.
    public struct User: Sendable {
        /// 1 to 255 printable ASCII characters; with the issuer, and never alone, it names the user (OIDC-13).
        public let subject: String
        /// Everything that was said.
        public let answer: JSONValue
    }

    /// The user of an answer, whose subject is in `member`.
    ///
    /// A text stands for itself, and a whole number for its digits as they were sent: no number between is made of it,
    /// for beyond 2^53 two users could be one.
    public static func user(
        _ response: FetchResponse, subject member: String
    ) throws(UserEndpointRefusal) -> User {
        let answer = try document(response)
        guard answer.kind == .object else { throw .notAnObject }
        guard let value = answer[member], !value.isNull else { throw .subjectMissing(member) }
        guard let subject = subject(value) else { throw .subjectMalformed(member) }
        return User(subject: subject, answer: answer)
    }

    private static func subject(_ value: JSONValue) -> String? {
        switch value.kind {
        case .string:
            guard let bytes = value.utf8Slice, (1...255).contains(bytes.count),
                bytes.allSatisfy({ (0x20...0x7E).contains($0) })
            else { return nil }
            return value.string
        case .number:
            // No sign, fraction or exponent: JSON itself has no digits in front of others that mean nothing.
            guard let text = value.numberText, (1...255).contains(text.utf8.count),
                text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
            else { return nil }
            return text
        case .object, .array, .bool, .null: return nil
        }
    }

    /// The address of mail that the server calls the user's primary one, where it says that it is verified (OIDC-19).
    ///
    /// The answer is a list of mappings with `email`, `primary` and `verified`. One that contradicts itself is refused,
    /// so that nobody is known by an address that may be somebody else's.
    public static func verifiedEmail(_ response: FetchResponse) throws(UserEndpointRefusal) -> String? {
        let answer = try document(response)
        guard answer.kind == .array else { throw .notAList }
        var primary: (address: [UInt8], isVerified: Bool)?
        var others: [[UInt8]] = []
        for entry in answer.elements {
            guard let address = entry["email"]?.utf8, isAddress(address), let isPrimary = entry["primary"]?.bool,
                let isVerified = entry["verified"]?.bool
            else { throw .addressMalformed }
            guard isPrimary else {
                others.append(address)
                continue
            }
            guard primary == nil else { throw .primaryRepeated }
            primary = (address, isVerified)
        }
        guard let primary else { return nil }
        guard !others.contains(primary.address) else { throw .primaryRepeated }
        return primary.isVerified ? String(decoding: primary.address, as: UTF8.self) : nil
    }

    /// As long as an address may be (RFC 5321 §4.5.3.1), without what ends a line or a word.
    private static func isAddress(_ bytes: [UInt8]) -> Bool {
        (3...254).contains(bytes.count) && bytes.contains(UInt8(ascii: "@"))
            && bytes.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }

    private static func document(_ response: FetchResponse) throws(UserEndpointRefusal) -> JSONValue {
        guard response.status == 200 else { throw .status(response.status) }
        guard response.body.count <= maximumBytes else { throw .tooLarge }
        let contentType = response.contentType ?? ""
        guard MediaType.isJSON(contentType) else { throw .contentType(contentType) }
        do throws(JSONRefusal) {
            return try JSONValue.parse(response.body.span, limits: .filled(to: maximumBytes))
        } catch {
            throw .notJSON(error)
        }
    }
}
