// SPDX-License-Identifier: Apache-2.0

/// The `Bearer` challenge of RFC 6750 §3, with RFC 9728's pointer to the resource's metadata.
///
/// `realm` is always there: a bare `Bearer` is not a challenge by RFC 6750 (decision D-2).
public struct BearerChallenge: Sendable, Equatable {
    /// What went wrong, as far as the client is told.
    public enum Problem: Sendable, Equatable {
        /// No credentials: no error is named (E-NOAUTH).
        case none
        /// A token that does not count, with a constant text (E-TOKEN).
        case invalidToken(String)
        /// A token that counts but not for this: all scopes the operation needs (E-SCOPE).
        case insufficientScope([String])
        /// A request that carries credentials in no way a reader could agree on (E-REQ).
        case invalidRequest(String)
    }

    private let realm: String
    private let scopes: [String]
    private let resourceMetadata: String?

    /// The challenge of one route; `scopes` are those to ask for from the start.
    public init(realm: String, scopes: [String] = [], resourceMetadata: String? = nil) {
        self.realm = realm
        self.scopes = scopes
        self.resourceMetadata = resourceMetadata
    }

    /// The field value: `Bearer realm=…[, error=…][, error_description=…][, scope=…][, resource_metadata=…]`.
    public func value(_ problem: Problem = .none) -> String {
        var value = "Bearer realm=\(Self.quotedString(realm))"
        var scopes = scopes
        switch problem {
        case .none: break
        case .invalidToken(let description): value += Self.error("invalid_token", description)
        case .invalidRequest(let description): value += Self.error("invalid_request", description)
        case .insufficientScope(let needed):
            value += Self.error("insufficient_scope", nil)
            scopes = needed
        }
        let words = scopes.filter { !$0.isEmpty && $0.utf8.allSatisfy(Self.isScopeByte) }
        if !words.isEmpty { value += ", scope=\"\(words.joined(separator: " "))\"" }
        if let resourceMetadata { value += ", resource_metadata=\(Self.quotedString(resourceMetadata))" }
        return value
    }

    private static func error(_ code: String, _ description: String?) -> String {
        guard let description else { return ", error=\"\(code)\"" }
        let text = String(
            decoding: description.utf8.map { isDescriptionByte($0) ? $0 : UInt8(ascii: " ") }, as: UTF8.self)
        return ", error=\"\(code)\", error_description=\"\(text)\""
    }

    /// RFC 9110 §5.6.4, ASCII alone; what it cannot hold becomes `?`.
    private static func quotedString(_ text: String) -> String {
        var quoted = "\""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                quoted += "\\"
                quoted.unicodeScalars.append(Unicode.Scalar(byte))
            case 0x20...0x7E: quoted.unicodeScalars.append(Unicode.Scalar(byte))
            default: quoted += "?"
            }
        }
        return quoted + "\""
    }

    /// RFC 6749 §3.3: `%x21 / %x23-5B / %x5D-7E`.
    private static func isScopeByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// RFC 6750 §3: `%x20-21 / %x23-5B / %x5D-7E`.
    private static func isDescriptionByte(_ byte: UInt8) -> Bool {
        byte == 0x20 || isScopeByte(byte)
    }
}
