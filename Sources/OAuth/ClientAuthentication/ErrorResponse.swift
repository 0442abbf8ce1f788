public import HTTPMessage
import JSON

/// An authorization server's "no" to a request of ours, for the operator's log and for deciding what to do.
///
/// Nothing of it is ever shown to a client (CA-15). Servers differ in what they put in the body, and some put nothing:
/// the status decides where `error` says nothing that is known.
public struct ErrorResponse: Error, Sendable, Equatable {
    /// What the answer means for whoever asked.
    public enum Meaning: Sendable, Hashable {
        /// The server does not take us for the client: the configuration is wrong on either side, and waiting will not
        /// help. An alarm.
        case clientRefused
        /// What was presented for exchange is not accepted, or no more: `invalid_grant`.
        case grantRefused
        /// The resource or audience asked for is not one that this client may have (RFC 8693 §2.2.2).
        case targetRefused
        /// Anything else in the request, such as a scope.
        case requestRefused
        /// The server cannot answer now.
        case serverUnavailable
    }

    /// The status code.
    public let status: Int
    /// `error`, when it is a string as RFC 6749 §5.2 spells codes, of 64 characters at most.
    public let code: String?
    /// `error_description`, cut after 200 characters; what RFC 6749 §5.2 does not allow in it is replaced by `?`.
    public let description: String?

    /// Reads an answer that is no success; whatever is in its body, there is a result.
    public init(_ response: FetchResponse) {
        status = response.status
        let document = try? JSONValue.parse(response.body.span, limits: JSONLimits(bytes: Self.maximumBytes))
        let code = document?["error"]?.string
        self.code = code.flatMap { Self.isCode($0) ? $0 : nil }
        description = document?["error_description"]?.string.map(Self.printable)
    }

    /// What the answer means.
    public var meaning: Meaning {
        switch code {
        // Those behind the standard's are the words of single servers; most of them are GitHub's.
        case "invalid_client", "unauthorized_client", "incorrect_client_credentials": return .clientRefused
        case "invalid_grant", "invalid_code", "bad_verification_code", "bad_refresh_token", "unverified_user_email":
            return .grantRefused
        case "invalid_target": return .targetRefused
        case "temporarily_unavailable", "server_error": return .serverUnavailable
        // The client was authenticated: it is its proof that is too old, or of another key (RFC 9449 §5).
        case "invalid_dpop_proof" where status < 500, "use_dpop_nonce" where status < 500: return .requestRefused
        default: break
        }
        switch status {
        case 401, 403: return .clientRefused
        case 400, 402, 404...428, 430...499: return .requestRefused
        default: return .serverUnavailable
        }
    }

    /// Larger bodies are no error responses.
    private static let maximumBytes = 16 * 1024

    static func isCode(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64 && text.utf8.allSatisfy(isAllowed)
    }

    private static func printable(_ text: String) -> String {
        String(
            decoding: text.unicodeScalars.prefix(200).map { scalar in
                guard let byte = UInt8(exactly: scalar.value), isAllowed(byte) else { return UInt8(ascii: "?") }
                return byte
            }, as: UTF8.self)
    }

    /// RFC 6749 §5.2: printable ASCII without quotation mark and backslash.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte <= 0x7E && byte != 0x22 && byte != 0x5C
    }
}
