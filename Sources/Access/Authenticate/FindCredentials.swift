import Bytes
package import HTTPMessage

/// What a request brings to prove who it is, and where in its head.
package enum Credentials: Sendable, Equatable {
    /// Nothing.
    case none
    /// An access token.
    case bearer(ByteRange)
    /// The same, where the sender claims to have the token's key.
    case dpop(ByteRange)
}

/// The authentication schemes that a route takes.
package struct SchemeSet: OptionSet, Sendable {
    package let rawValue: UInt8

    /// RFC 6750.
    package static let bearer = SchemeSet(rawValue: 1)
    /// RFC 9449.
    package static let dpop = SchemeSet(rawValue: 2)

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// For the operator's log.
    package var names: String {
        switch (contains(.bearer), contains(.dpop)) {
        case (true, true): "Bearer or DPoP"
        case (true, false): "Bearer"
        case (false, true): "DPoP"
        case (false, false): ""
        }
    }
}

extension HeadView {
    /// Exactly one set of credentials, by header only, or none (RS-01 … RS-07).
    ///
    /// A token in the query beside it is refused where the route rejects such tokens.
    package func credentials(_ schemes: SchemeSet, rejectsQueryToken: Bool) throws(Refused) -> Credentials {
        guard authorizationCount > 0 else { return .none }
        guard authorizationCount == 1 else {
            throw Refused(.credentialsRepeated, expected: "one Authorization line", found: "\(authorizationCount)")
        }
        let value = value(at: authorizationIndex)
        let start = Int(valueRange(at: authorizationIndex).start)
        switch AuthorizationField.parse(value) {
        case .bearer(let token):
            guard schemes.contains(.bearer) else { throw notEnabled(schemes, "Bearer") }
            if rejectsQueryToken { try refuseQueryToken() }
            return .bearer(ByteRange(from: start + Int(token.start), to: start + token.end))
        case .dpop(let token):
            guard schemes.contains(.dpop) else { throw notEnabled(schemes, "DPoP") }
            if rejectsQueryToken { try refuseQueryToken() }
            return .dpop(ByteRange(from: start + Int(token.start), to: start + token.end))
        case .otherScheme: throw notEnabled(schemes, "another scheme")
        case .malformed:
            // `Bearer a, Bearer b` is two sets of credentials in one line (RFC 9110 §11.6.2 allows but one).
            guard value.firstIndex(of: UInt8(ascii: ","), from: 0, to: value.count) == value.count else {
                throw Refused(.credentialsRepeated, expected: "one set of credentials", found: "a list")
            }
            throw Refused(.credentialsMalformed, expected: "a scheme and one token68", found: "something else")
        }
    }

    private func notEnabled(_ schemes: SchemeSet, _ found: Refused.Words) -> Refused {
        Refused(.schemeNotEnabled, expected: .text(schemes.names), found: found)
    }

    private func refuseQueryToken() throws(Refused) {
        guard hasQuery, queryHasToken else { return }
        throw Refused(
            .credentialsInQueryToo, expected: "the token in the Authorization field alone",
            found: "one in the query too")
    }

    /// Whether the query has a parameter `access_token`, however its name is escaped.
    package var queryHasToken: Bool {
        let query = self.query
        var start = 0
        while start < query.count {
            var end = start
            while end < query.count, query[end] != UInt8(ascii: "&") { end += 1 }
            if HeadView.nameIsAccessToken(query.extracting(start..<end)) { return true }
            start = end + 1
        }
        return false
    }

    private static func nameIsAccessToken(_ parameter: Span<UInt8>) -> Bool {
        var position = 0
        for wanted in "access_token".utf8 {
            guard position < parameter.count else { return false }
            var byte = parameter[position]
            position += 1
            if byte == UInt8(ascii: "%"), position + 1 < parameter.count {
                guard let high = ASCII.hexValue(parameter[position]), let low = ASCII.hexValue(parameter[position + 1])
                else { return false }
                byte = high << 4 | low
                position += 2
            }
            if byte != wanted { return false }
        }
        return position == parameter.count || parameter[position] == UInt8(ascii: "=")
    }
}
