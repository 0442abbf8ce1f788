// SPDX-License-Identifier: Apache-2.0

/// The request's `Cookie` field (RFC 6265bis §4.2.1), read where it lies.
///
/// Works on the bytes of all its lines joined by `; `. Names are compared with their case: `__host-` promises nothing.
package enum CookieField {
    /// What a request brings under one name.
    package enum Found: Sendable, Equatable {
        case none
        /// The value, its chunks joined.
        case one([UInt8])
        /// More than one cookie of that name: another host or path planted one, and nobody can tell which (SC-06).
        case repeated
    }

    /// Where in the field a value is.
    package enum Located: Sendable, Equatable {
        case none
        /// The value is there in one piece.
        case one(Range<Int>)
        /// The value is in so many chunks, which `value` joins.
        case chunked(Int)
        case repeated
    }

    /// The value of the cookie, with the chunks that `SetCookie` split it into.
    package static func value(of name: String, in cookies: Span<UInt8>) -> Found {
        .none
    }

    /// The place of the cookie's value, without copying it; allocates nothing.
    package static func locate(_ name: String, in cookies: Span<UInt8>) -> Located {
        .none
    }

    /// How many cookies of that name's chunks there are, so that a shorter value deletes the others.
    package static func chunks(of name: String, in cookies: Span<UInt8>) -> Int {
        0
    }

    /// The names in the field that begin so, each once, in their order.
    package static func names(beginningWith prefix: String, in cookies: Span<UInt8>) -> [String] {
        []
    }

    /// Whether a cookie of that name is the gateway's, and never goes to an upstream: every name that begins with
    /// `__Host-portcullis`, in any case, and the configured names with their chunks.
    package static func isOurs(_ name: Span<UInt8>, names: [String] = []) -> Bool {
        false
    }

    /// The field without the gateway's cookies; nil when there are none of them, and it can go on as it is.
    package static func stripped(_ cookies: Span<UInt8>, names: [String] = []) -> [UInt8]? {
        nil
    }
}
