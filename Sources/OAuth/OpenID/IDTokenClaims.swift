// SPDX-License-Identifier: Apache-2.0
import Bytes
import Crypto
import JOSE
import JSON

/// The claims of an ID token or a logout token whose signature holds, one check a function.
struct IDTokenClaims {
    let claims: JSONValue

    /// Bytes of a `sid` or a `jti`: both are kept, one of them in cookies.
    static let maximumSessionBytes = 256

    init(_ claims: JSONValue) {
        self.claims = claims
    }

    /// Issuer, audience, times and subject (OIDC-02…OIDC-04, OIDC-06, OIDC-07).
    func verify(_ rules: IDTokenRules, now: Int64) throws(IDTokenRefusal) -> VerifiedIDToken {
        throw .missingClaim("iss")
    }

    func checkNonce(_ nonce: String?) throws(IDTokenRefusal) {
    }

    func checkHash(_ name: String, of secret: Secret?, by hash: HashFunction) throws(IDTokenRefusal) {
    }

    func check(_ demand: AuthenticationDemand, leewaySeconds: Int, now: Int64) throws(IDTokenRefusal) {
    }
}
