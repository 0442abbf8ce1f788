import HTTPMessage
import Sessions

/// A path that is the gateway's own, whatever the routes say.
package enum ReservedPath: Equatable, Sendable {
    /// `/.well-known/oauth-protected-resource`, and below it.
    case protectedResource
    /// `/.portcullis`, and below it.
    case gateway

    /// What the paths of the gateway's own begin with.
    package static let prefix = OwnPaths.prefix
    /// Where the keys are that identity assertions and our clients' own are verified by.
    package static let assertionKeys = "\(prefix)/jwks.json"
    /// Where the metadata of protected resources is (RFC 9728 §3).
    package static let protectedResourceMetadata = "/.well-known/oauth-protected-resource"

    /// More than any of them needs, with the slash behind it: what follows decides nothing.
    private static let longest = 64

    /// Which one a path is, read as an upstream might: unescaped, and with slashes merged.
    ///
    /// Only for paths that may be reserved by their second byte; the others are told apart by that alone.
    package init?(_ path: Span<UInt8>) {
        var canonical: [UInt8] = []
        PathPolicy.appendCanonical(path, mergingSlashes: true, upTo: ReservedPath.longest, to: &canonical)
        if ReservedPath.isAtOrBelow(ReservedPath.protectedResourceMetadata, canonical) {
            self = .protectedResource
        } else if ReservedPath.isAtOrBelow(ReservedPath.prefix, canonical) {
            self = .gateway
        } else {
            return nil
        }
    }

    private static func isAtOrBelow(_ prefix: String, _ path: [UInt8]) -> Bool {
        let prefix = Array(prefix.utf8)
        guard path.starts(with: prefix) else { return false }
        return path.count == prefix.count || path[prefix.count] == UInt8(ascii: "/")
    }
}
