// SPDX-License-Identifier: Apache-2.0
public import Crypto

/// A private key that decrypts by one algorithm, and the name and public half it is published under.
public struct DecryptionJWK: Sendable {
    /// The key.
    public let key: PrivateKey
    /// `alg` of what is decrypted with it, such as `RSA-OAEP-256` or `ECDH-ES+A256KW`.
    public let algorithm: String
    /// `kid`: the RFC 7638 thumbprint in base64url, unless another name was given.
    public let keyID: String
}
