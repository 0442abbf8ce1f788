package import Crypto

/// What a login has to remember between its start and its callback (CF-06).
///
/// The verifier, the nonce and the key for proofs are derived from `seed`; the state, the client and the redirect URI are
/// what the cookie's seal is bound to, so that they cannot be exchanged either.
package struct LoginTransaction: Sendable {
    /// What a route asked for beyond a login, and the ID token has to show (OIDC-09, STEP-04).
    package struct Demand: Sendable, Equatable {
        package var acrValues: [String]
        package var maximumAge: Int?

        package init(acrValues: [String] = [], maximumAge: Int? = nil) {
            self.acrValues = acrValues
            self.maximumAge = maximumAge
        }
    }

    /// 32 random bytes.
    package var seed: Secret
    /// Where the browser goes on: a path that `ReturnTarget` accepted.
    package var returnTo: String
    /// Seconds since 1970.
    package var createdAt: Int64
    /// The name of the client whose login it is.
    package var client: String
    /// Nil for a login that nothing stronger or fresher was demanded of.
    package var stepUp: Demand?
    /// How many logins were begun for the same demand before this one.
    package var attempts = UInt8(0)
    /// Whether the browser keeps a form that is sent after the login.
    package var keepsForm = false
    /// Whether the user wanted to be asked who they are.
    package var isOtherAccount = false
    /// The fragment of the page the login began at, without `#`.
    package var fragment: String?

    /// A login that was begun for nothing but itself, with nothing but the page to go on to.
    package init(seed: Secret, returnTo: String, createdAt: Int64, client: String) {
        self.seed = seed
        self.returnTo = returnTo
        self.createdAt = createdAt
        self.client = client
    }
}

extension LoginTransaction: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `[login transaction]`.
    package var description: String { "[login transaction]" }

    /// The same as `description`.
    package var debugDescription: String { description }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: nil) }
}
