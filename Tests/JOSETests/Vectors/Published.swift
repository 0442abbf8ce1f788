// SPDX-License-Identifier: Apache-2.0

/// A compact JWS as a specification prints it, with the public key (or secret) printed beside it.
struct PublishedJWS: Sendable {
    let compact: String
    let key: String?
}

/// A key as a specification prints it, with its RFC 7638 thumbprint.
struct PublishedThumbprint: Sendable {
    let key: String
    let thumbprint: String
}
