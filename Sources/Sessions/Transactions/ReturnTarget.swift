// SPDX-License-Identifier: Apache-2.0

/// Where a browser may be sent after a login or logout: a path on this origin, and nothing else (CF-09).
package enum ReturnTarget {
    /// Bytes of a target at most.
    package static let limit = 2048

    /// The target as it may stand in `Location`; `/` for everything that could lead elsewhere.
    package static func accept(_ text: Span<UInt8>, reserved: String = "/.portcullis/") -> String {
        "/"
    }

    /// The same for text.
    package static func accept(_ text: String, reserved: String = "/.portcullis/") -> String {
        let bytes = Array(text.utf8)
        return accept(bytes.span, reserved: reserved)
    }

    /// A fragment as it may stand behind `#`, without it; nil when there is none or it is too long.
    package static func fragment(_ text: Span<UInt8>) -> String? {
        nil
    }
}
