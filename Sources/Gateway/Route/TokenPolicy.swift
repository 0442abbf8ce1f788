import Access
import Bytes
import HTTPMessage
import OAuth

/// What a route requires of a token, as predicate numbers.
struct TokenPolicy {
    let issuers: PredicateList
    let audiences: PredicateList
    let claims: PredicateList
    let user: PredicateList
    /// The token's `acr` must be one of these; empty asks for none (STEP-01).
    let authenticationClasses: PredicateList
    /// Oldest authentication accepted, in seconds; -1 does not ask (STEP-02).
    let maximumAge: Int64
    /// Asked where `authorization_details` are: whether they are what RFC 9396 §2 calls so.
    let detailsForm: PredicateList
    let rejectsQueryToken: Bool
    let schemes: SchemeSet
    let nonce: DPoPSettings.Nonce
    let proofRules: DPoPRules
    private let rows: UnsafeMutablePointer<Row>
    private let rowCount: Int

    /// What one method needs.
    struct Row {
        /// The method's name; empty for those that are not named.
        let name: Route.Bytes
        let scopes: PredicateList
        let details: PredicateList
    }

    init(
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
        rows = .allocate(capacity: names.count)
        var asksForDetails = false
        for (index, name) in names.enumerated() {
            let details = TokenPolicy.authorizationDetails(of: settings, method: name)
            if !details.isEmpty { asksForDetails = true }
            (rows + index).initialize(
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
            rows[index].name.destroy()
            rows[index].scopes.destroy()
            rows[index].details.destroy()
        }
        rows.deallocate()
    }

    /// Where a method's needs are: its own place, or that of the methods nobody named.
    @inline(__always)
    func row(of method: MethodID, named name: Span<UInt8>) -> UInt16 {
        method == .other ? otherRow(named: name) : UInt16(method.rawValue)
    }

    private func otherRow(named name: Span<UInt8>) -> UInt16 {
        for index in MethodSet.count..<rowCount where rows[index].name.buffer.span.isEqual(to: name) {
            return UInt16(index)
        }
        return UInt16(MethodID.other.rawValue)
    }

    /// What the method at a place that `row(of:named:)` gave needs.
    @inline(__always)
    func row(_ index: UInt16) -> UnsafePointer<Row> {
        precondition(Int(index) < rowCount, "a method's place is one that the policy gave")
        return UnsafePointer(rows + Int(index))
    }

    /// The name of the method at a place, for texts; empty for one that nobody named.
    func methodName(_ index: UInt16) -> String { String(decoding: row(index).pointee.name.buffer, as: UTF8.self) }

    /// The methods with a number of their own, at that number, then others that the settings name.
    private static func methodNames(of settings: TokenSettings) -> [String] {
        let known = MethodSet.all.map(\.name)
        let named = Set(settings.scopesByMethod.keys).union(settings.authorizationDetailsByMethod.keys)
        return known + named.filter { !known.contains($0) }.sorted()
    }

    /// The scopes a method needs; HEAD needs what GET needs when it is not named itself.
    static func scopes(of settings: TokenSettings, method: String) -> [String] {
        named(settings.scopesByMethod, method) ?? settings.scopes
    }

    /// The same without what no resource asks for: refresh tokens are between client and server (MCP-05).
    static func announcedScopes(of settings: TokenSettings, method: String) -> [String] {
        scopes(of: settings, method: method).filter { $0 != "offline_access" }
    }

    /// What `authorization_details` must grant for a method; HEAD needs what GET needs when it is not named itself.
    static func authorizationDetails(of settings: TokenSettings, method: String) -> [AuthorizationDetailsRule] {
        named(settings.authorizationDetailsByMethod, method) ?? settings.authorizationDetails
    }

    private static func named<Rules>(_ rules: [String: Rules], _ method: String) -> Rules? {
        if let own = rules[method] { return own }
        return method == "HEAD" ? rules["GET"] : nil
    }
}
