import Bytes
package import HTTPMessage
package import OAuth

/// What a route requires of a token, as predicate numbers.
///
/// `@unchecked Sendable`: its rows are written once, by `init`, and only read until `destroy()`, which the table's owner
/// calls when nobody has the table any more.
@safe
package struct TokenPolicy: ~Copyable, @unchecked Sendable {
    package let issuers: PredicateList
    package let audiences: PredicateList
    package let claims: PredicateList
    package let user: PredicateList
    /// The token's `acr` must be one of these; empty asks for none (STEP-01).
    package let authenticationClasses: PredicateList
    /// Oldest authentication accepted, in seconds; -1 does not ask (STEP-02).
    package let maximumAge: Int64
    /// Asked where `authorization_details` are: whether they are what RFC 9396 §2 calls so.
    package let detailsForm: PredicateList
    package let rejectsQueryToken: Bool
    package let schemes: SchemeSet
    package let nonce: DPoPSettings.Nonce
    package let proofRules: DPoPRules
    private let rows: UnsafeMutablePointer<Row>
    private let rowCount: Int

    /// What one method needs.
    package struct Row: Sendable {
        /// The method's name; empty for those that are not named.
        package let name: FixedBytes
        package let scopes: PredicateList
        package let details: PredicateList
    }

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
        claims = PredicateList(settings.claims.map { catalogue.number(of: .claim($0)) })
        user = PredicateList(settings.userOnly ? [catalogue.number(of: .user)] : [])
        authenticationClasses = PredicateList(settings.acrValues.map { catalogue.number(of: .authenticationClass($0)) })
        maximumAge = settings.maxAgeSeconds.map { Int64(max(0, $0)) } ?? -1
        let names = TokenPolicy.methodNames(of: settings)
        rowCount = names.count
        unsafe rows = .allocate(capacity: names.count)
        var asksForDetails = false
        for (index, name) in names.enumerated() {
            let details = TokenPolicy.authorizationDetails(of: settings, method: name)
            if !details.isEmpty { asksForDetails = true }
            unsafe (rows + index).initialize(
                to: Row(
                    name: Route.Bytes(name),
                    scopes: PredicateList(
                        TokenPolicy.scopes(of: settings, method: name).map { catalogue.number(of: .scope($0)) }),
                    details: PredicateList(details.map { catalogue.number(of: .authorizationDetails($0)) })))
        }
        detailsForm = PredicateList(asksForDetails ? [catalogue.number(of: .authorizationDetailsForm)] : [])
    }

    /// Frees what was written out; nobody may use it any longer.
    func destroy() {
        for list in [issuers, audiences, claims, user, authenticationClasses, detailsForm] { list.destroy() }
        for index in 0..<rowCount {
            self[row: UInt16(index)].name.destroy()
            self[row: UInt16(index)].scopes.destroy()
            self[row: UInt16(index)].details.destroy()
        }
        unsafe rows.deallocate()
    }

    /// Where a method's needs are: its own place, or that of the methods nobody named.
    @inline(__always)
    package func row(of method: MethodID, named name: Span<UInt8>) -> UInt16 {
        method == .other ? otherRow(named: name) : UInt16(method.rawValue)
    }

    private func otherRow(named name: Span<UInt8>) -> UInt16 {
        for index in MethodSet.count..<rowCount where self[row: UInt16(index)].name.span.isEqual(to: name) {
            return UInt16(index)
        }
        return UInt16(MethodID.other.rawValue)
    }

    /// What the method at a place that `row(of:named:)` gave needs.
    package subscript(row index: UInt16) -> Row {
        unsafeAddress {
            precondition(Int(index) < rowCount, "a method's place is one that the policy gave")
            return unsafe UnsafePointer(rows + Int(index))
        }
    }

    /// The name of the method at a place, for texts; empty for one that nobody named.
    package func methodName(_ index: UInt16) -> String { String(copying: self[row: index].name.span) }

    /// The methods with a number of their own, at that number, then others that the settings name.
    private static func methodNames(of settings: TokenSettings) -> [String] {
        let known = MethodSet.all.map(\.name)
        let named = Set(settings.scopesByMethod.keys).union(settings.authorizationDetailsByMethod.keys)
        return known + named.filter { !known.contains($0) }.sorted()
    }

    /// The scopes a method needs; HEAD needs what GET needs when it is not named itself.
    package static func scopes(of settings: TokenSettings, method: String) -> [String] {
        named(settings.scopesByMethod, method) ?? settings.scopes
    }

    /// The same without what no resource asks for: refresh tokens are between client and server (MCP-05).
    package static func announcedScopes(of settings: TokenSettings, method: String) -> [String] {
        scopes(of: settings, method: method).filter { $0 != "offline_access" }
    }

    /// What `authorization_details` must grant for a method; HEAD needs what GET needs when it is not named itself.
    package static func authorizationDetails(of settings: TokenSettings, method: String) -> [AuthorizationDetailsRule] {
        named(settings.authorizationDetailsByMethod, method) ?? settings.authorizationDetails
    }

    private static func named<Rules>(_ rules: [String: Rules], _ method: String) -> Rules? {
        if let own = rules[method] { return own }
        return method == "HEAD" ? rules["GET"] : nil
    }
}
