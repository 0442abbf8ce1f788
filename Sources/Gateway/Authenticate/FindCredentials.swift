import Access
import Bytes
import HTTPMessage

/// What a request brings to prove who it is.
enum Credentials {
    case none
    /// The access token's place in the head.
    case bearer(UnsafeBufferPointer<UInt8>)
    /// The same, where the sender claims to have the token's key.
    case dpop(UnsafeBufferPointer<UInt8>)
}

extension WorkerRef {
    /// Exactly one set of credentials, by header only, or none (RS-01 … RS-07).
    func findCredentials(
        _ route: UnsafePointer<Route>, _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) -> Credentials {
        let head = pointee.head
        let count = head.pointee.authorizationCount
        guard count > 0 else { return .none }
        guard count == 1 else { throw refuse(.credentialsRepeated, "one Authorization line", "\(count)") }
        let range = head.pointee.fields[head.pointee.authorizationIndex].value
        let value = UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
        let schemes = route.pointee.token.schemes
        switch AuthorizationField.parse(value.span) {
        case .bearer(let token):
            guard schemes.contains(.bearer) else { throw refuse(.schemeNotEnabled, schemes.names, "Bearer") }
            try refuseQueryToken(route, bytes)
            return .bearer(UnsafeBufferPointer(rebasing: value[token.range]))
        case .dpop(let token):
            guard schemes.contains(.dpop) else { throw refuse(.schemeNotEnabled, schemes.names, "DPoP") }
            try refuseQueryToken(route, bytes)
            return .dpop(UnsafeBufferPointer(rebasing: value[token.range]))
        case .otherScheme: throw refuse(.schemeNotEnabled, schemes.names, "another scheme")
        case .malformed:
            // `Bearer a, Bearer b` is two sets of credentials in one line (RFC 9110 §11.6.2 allows but one).
            if value.contains(UInt8(ascii: ",")) {
                throw refuse(.credentialsRepeated, "one set of credentials", "a list")
            }
            throw refuse(.credentialsMalformed, "a scheme and one token68", "something else")
        }
    }

    private func refuseQueryToken(
        _ route: UnsafePointer<Route>, _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) {
        guard route.pointee.token.rejectsQueryToken, pointee.head.pointee.hasQuery, queryHasToken(bytes) else { return }
        throw refuse(.credentialsInQueryToo, "the token in the Authorization field alone", "one in the query too")
    }

    /// Whether the query has a parameter `access_token`, however its name is escaped.
    func queryHasToken(_ bytes: UnsafeMutablePointer<UInt8>) -> Bool {
        let range = pointee.head.pointee.query
        let query = UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
        var start = 0
        while start < query.count {
            var end = start
            while end < query.count, query[end] != UInt8(ascii: "&") { end += 1 }
            if nameIsAccessToken(query, from: start, to: end) { return true }
            start = end + 1
        }
        return false
    }

    private func nameIsAccessToken(_ query: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Bool {
        let wanted: StaticString = "access_token"
        var position = start
        for index in 0..<wanted.utf8CodeUnitCount {
            guard position < end else { return false }
            var byte = query[position]
            position += 1
            if byte == UInt8(ascii: "%"), position + 1 < end {
                guard let high = ASCII.hexValue(query[position]), let low = ASCII.hexValue(query[position + 1]) else {
                    return false
                }
                byte = high << 4 | low
                position += 2
            }
            if byte != wanted.utf8Start[index] { return false }
        }
        return position == end || query[position] == UInt8(ascii: "=")
    }
}
