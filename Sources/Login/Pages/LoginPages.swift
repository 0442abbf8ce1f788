// SPDX-License-Identifier: Apache-2.0

/// The gateway's own pages: what a person sees when a login does not go through, and in between.
package enum LoginPages {
    /// A page and the policy it is sent with.
    package struct Rendered: Sendable {
        /// HTML in UTF-8.
        package var bytes: [UInt8]
        /// The value of `Content-Security-Policy`.
        package var contentSecurityPolicy: String
    }

    /// A page that is no error; `nonce` is fresh for each answer, 128 bits in base64url at least.
    package static func render(_ page: LoginPage, nonce: String) -> Rendered {
        Rendered(bytes: [], contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'")
    }

    /// What a person is told of a refusal: in words of ours alone (CF-24).
    package static func error(status: Int, refusal: LoginRefusal, requestID: String, retry: String?) -> Rendered {
        Rendered(bytes: [], contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'")
    }
}
