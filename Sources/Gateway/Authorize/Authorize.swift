// SPDX-License-Identifier: Apache-2.0
import OAuth
import HTTPMessage

extension WorkerRef {
    /// Holds a verified token against what the route and the method require: scopes, then policy (REQUIREMENTS 0.3).
    ///
    /// Compares bits that were worked out when the token was verified; nothing is allocated.
    func authorize(
        _ token: UnsafeMutablePointer<TokenRecord>, _ route: UnsafePointer<Route>, _ method: MethodID
    ) throws(Refusal) {
        let answers = UnsafePointer(token.pointee.answers)
        guard route.pointee.token.scopes(for: method).allHold(in: answers) else {
            throw refuse(.scopeInsufficient, requiredScopes(route, method), grantedScopes(token))
        }
        guard route.pointee.token.user.allHold(in: answers) else {
            throw refuse(.userRequired, "a user's token", "a client's own token")
        }
        guard route.pointee.token.claims.allHold(in: answers) else {
            throw refuse(.claimRuleUnmet, claimRules(route), "claims that do not meet them")
        }
    }

    private func requiredScopes(_ route: UnsafePointer<Route>, _ method: MethodID) -> String {
        guard case .token(let settings) = route.pointee.settings.access else { return "" }
        return TokenPolicy.scopes(of: settings, method: MethodSet.name(of: method)).joined(separator: " ")
    }

    private func grantedScopes(_ token: UnsafeMutablePointer<TokenRecord>) -> String {
        token.pointee.shown(pointee.issuers[token.pointee.issuer].rules.scopeClaim)
    }

    private func claimRules(_ route: UnsafePointer<Route>) -> String {
        guard case .token(let settings) = route.pointee.settings.access else { return "" }
        return settings.claims.map { "\($0.claim.joined(separator: ".")) in [\($0.anyOf.joined(separator: ", "))]" }
            .joined(separator: " and ")
    }
}

extension MethodSet {
    static func name(of method: MethodID) -> String {
        all.first { $0.id == method }?.name ?? ""
    }
}
