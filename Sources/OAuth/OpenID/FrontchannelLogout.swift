import Bytes
import Crypto
import HTTPMessage

/// What a frame of the issuer's logout page says (OpenID Connect Front-Channel Logout §2); anybody can say it.
public struct FrontchannelLogout: Sendable, Equatable {
    /// `iss` and `sid`; nil when neither was sent.
    public let session: ServerSession?

    /// A session of an issuer.
    public struct ServerSession: Sendable, Equatable {
        /// The issuer whose session it is.
        public let issuer: String
        /// Its name there.
        public let sid: String
    }

    /// Reads a query without its `?`; nil for one of the two alone, for repeated ones and for bad escapes (LO-11).
    public init?(query: [UInt8]) {
        do throws(LogoutForm.Problem) {
            let issuer = try LogoutForm.value(of: "iss", in: query.span)
            let sid = try LogoutForm.value(of: "sid", in: query.span)
            guard (issuer == nil) == (sid == nil) else { return nil }
            guard let issuer, let sid else {
                session = nil
                return
            }
            guard let issuer = String(validating: issuer, as: UTF8.self),
                let sid = String(validating: sid, as: UTF8.self)
            else { return nil }
            session = ServerSession(issuer: issuer, sid: sid)
        } catch {
            return nil
        }
    }

    /// Whether this browser's session is the one that ended: both must be named and be its own (LO-11).
    ///
    /// Otherwise any page could log its visitors out by showing them an image.
    public func ends(issuer: String, sid: String?) -> Bool {
        guard let session, let sid else { return false }
        let (found, known) = (Array(session.sid.utf8), Array(sid.utf8))
        return session.issuer.utf8.elementsEqual(issuer.utf8) && ConstantTime.equal(found.span, known.span)
    }

    /// The value of `frame-ancestors` that lets the pages of these URLs frame the answer; `'none'` without any.
    ///
    /// A host with characters that mean something in a policy, as RFC 3986 allows, is left out.
    public static func frameAncestors(of urls: [String]) -> String {
        var origins: [String] = []
        for url in urls {
            guard let uri = URI(url), uri.scheme == "https" || uri.scheme == "http",
                uri.authority.utf8.allSatisfy(isPlain)
            else { continue }
            let origin = "\(uri.scheme)://\(uri.authority)"
            if !origins.contains(origin) { origins.append(origin) }
        }
        return origins.isEmpty ? "'none'" : origins.joined(separator: " ")
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"): true
        default: ASCII.isLetter(byte) || ASCII.isDigit(byte)
        }
    }
}
