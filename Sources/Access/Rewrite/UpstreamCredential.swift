import Bytes
import Crypto
package import Issuers

/// What an upstream gets in place of the client's credentials, ready to be written (RS-25).
package enum UpstreamCredential: Sendable {
    case none
    /// The client's own Bearer token.
    case pass
    /// The session's ID token.
    case passIDToken
    /// A field line that is always the same, CRLF included.
    case fixed(FixedBytes)
    /// A token for the upstream, by one of the table's exchange rules (RFC 8693).
    case exchange(rule: Int)
    /// A JWT of the gateway's own, by one of the table's assertion rules.
    case assertion(rule: Int)

    /// A credential as configured; rules are shared by the routes that have the same.
    package init(
        _ settings: UpstreamCredentialSettings, exchanges: inout [ExchangeSettings],
        assertions: inout [AssertionSettings]
    ) {
        switch settings {
        case .none: self = .none
        case .pass: self = .pass
        case .passIDToken: self = .passIDToken
        case .fixed(let value):
            self = .fixed(FixedBytes(Array("Authorization: ".utf8) + value.reveal() + [0x0D, 0x0A]))
        case .exchange(let rule): self = .exchange(rule: UpstreamCredential.place(of: rule, in: &exchanges))
        case .assertion(let rule): self = .assertion(rule: UpstreamCredential.place(of: rule, in: &assertions))
        }
    }

    private static func place<Rule: Equatable>(of rule: Rule, in rules: inout [Rule]) -> Int {
        if let place = rules.firstIndex(of: rule) { return place }
        rules.append(rule)
        return rules.count - 1
    }
}
