// SPDX-License-Identifier: Apache-2.0
package import Issuers
package import JOSE

/// The keys that authorization servers know this gateway's clients by (MD-30, MD-31).
package enum PublishedKeys {
    /// Public halves of all keys that clients sign and decrypt with, and of those that will or did; each once.
    package static func keys(of settings: [LoginSettings], clients: [ClientSettings]) -> [JWK] { [] }

    /// Names that two different keys have: a server could take either, so such a configuration does not load.
    package static func repeatedNames(of settings: [LoginSettings], clients: [ClientSettings]) -> [String] { [] }
}
