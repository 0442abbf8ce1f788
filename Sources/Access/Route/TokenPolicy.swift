package import HTTPMessage
package import OAuth

/// What a route requires of a token, as predicate numbers.
package struct TokenPolicy: ~Copyable, Sendable {
    package let issuers: PredicateList
    package let audiences: PredicateList
    package let user: PredicateList
    /// What is asked once the token is one for this route.
    package let rights: RightsPolicy
    package let rejectsQueryToken: Bool
    package let schemes: SchemeSet
    package let nonce: DPoPSettings.Nonce
    package let proofRules: DPoPRules

    package init(
        _ settings: TokenSettings, _ proofs: ProofSettings, issuerIndex: (String) -> Int,
        catalogue: inout PredicateCatalogue
    ) {
        rejectsQueryToken = settings.queryToken == .reject
        schemes = SchemeSet(settings.schemes)
        nonce = settings.dpop.nonce
        proofRules = DPoPRules(settings.dpop, proofs)
        issuers = PredicateList(settings.issuers.map { catalogue.number(of: .issuer(issuerIndex($0))) })
        audiences = PredicateList(settings.audiences.map { catalogue.number(of: .audience($0)) })
        user = PredicateList(settings.userOnly ? [catalogue.number(of: .user)] : [])
        rights = RightsPolicy(ofTokens: settings, catalogue: &catalogue)
    }

    /// Frees what was written out; nobody may use it any longer.
    func destroy() {
        for list in [issuers, audiences, user] { list.destroy() }
        rights.destroy()
    }

    /// Where a method's rights are: its own place, or that of the methods nobody named.
    @inline(__always)
    package func row(of method: MethodID, named name: Span<UInt8>) -> UInt16 { rights.row(of: method, named: name) }
}
