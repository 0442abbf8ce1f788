// SPDX-License-Identifier: Apache-2.0

/// What a page's script may know of the session (SC-12).
package enum SessionDocument {
    /// The content of a 401 for scripts: `{"authenticated":false,"error":"login_required","login":…}`.
    package static func missing(login: String) -> [UInt8] { [] }
}
