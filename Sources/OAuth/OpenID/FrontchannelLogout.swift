// SPDX-License-Identifier: Apache-2.0

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
        return nil
    }

    /// Whether this browser's session is the one that ended: both must be named and be its own (LO-11).
    public func ends(issuer: String, sid: String?) -> Bool { false }

    /// The value of `frame-ancestors` that lets the pages of these URLs frame the answer; `'none'` without any.
    public static func frameAncestors(of urls: [String]) -> String { "'none'" }
}
