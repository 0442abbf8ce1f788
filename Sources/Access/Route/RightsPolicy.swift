import Bytes
package import HTTPMessage

/// What a route requires of whoever made a request, by method, as predicate numbers.
///
/// `@unchecked Sendable`: its rows are written once, by `init`, and only read until `destroy()`, which the table's owner
/// calls when nobody has the table any more.
@safe
package struct RightsPolicy: ~Copyable, @unchecked Sendable {
    package let claims: PredicateList
    /// The `acr` must be one of these; empty asks for none (STEP-01).
    package let authenticationClasses: PredicateList
    /// Oldest authentication accepted, in seconds; -1 does not ask (STEP-02).
    package let maximumAge: Int64
    /// Asked where `authorization_details` are: whether they are what RFC 9396 §2 calls so.
    package let detailsForm: PredicateList
    private let rows: UnsafeMutablePointer<Row>
    private let rowCount: Int
    /// Methods of gRPC services, whose rows are the last ones, in this order.
    private let grpcMethods: GRPCMethodNames
    private let firstGRPCRow: Int

    /// What one method needs.
    package struct Row: Sendable {
        /// The method's name, of HTTP or of gRPC; empty for those that are not named.
        package let name: FixedBytes
        package let scopes: PredicateList
        /// Of tokens alone.
        package let details: PredicateList
    }

    /// What is asked of sessions' users.
    package init(ofSessions settings: RightsSettings, catalogue: inout PredicateCatalogue) {
        self.init(settings, detailsByMethod: [:], details: { _ in [] }, &catalogue)
    }

    /// What is asked of tokens, which may have to grant `authorization_details` too.
    package init(ofTokens settings: TokenSettings, catalogue: inout PredicateCatalogue) {
        self.init(
            settings.rights, detailsByMethod: settings.authorizationDetailsByMethod,
            details: { settings.authorizationDetails(for: $0) }, &catalogue)
    }

    private init(
        _ settings: RightsSettings, detailsByMethod: [String: [AuthorizationDetailsRule]],
        details: (String) -> [AuthorizationDetailsRule], _ catalogue: inout PredicateCatalogue
    ) {
        claims = PredicateList(settings.claims.map { catalogue.number(of: .claim($0)) })
        authenticationClasses = PredicateList(settings.acrValues.map { catalogue.number(of: .authenticationClass($0)) })
        maximumAge = settings.maximumAge.map { Int64(max(0, $0.wholeSeconds)) } ?? -1
        let methods = RightsPolicy.methodNames(
            Set(settings.scopesByMethod.keys).union(detailsByMethod.keys))
        let names = methods + GRPCMethodNames.inOrder(settings.scopesByGRPCMethod.keys)
        grpcMethods = GRPCMethodNames(Array(settings.scopesByGRPCMethod.keys))
        firstGRPCRow = methods.count
        rowCount = names.count
        unsafe rows = .allocate(capacity: names.count)
        var asksForDetails = false
        for (index, name) in names.enumerated() {
            let details = details(name)
            if !details.isEmpty { asksForDetails = true }
            unsafe (rows + index).initialize(
                to: Row(
                    name: Route.Bytes(name),
                    scopes: PredicateList(settings.scopes(for: name).map { catalogue.number(of: .scope($0)) }),
                    details: PredicateList(details.map { catalogue.number(of: .authorizationDetails($0)) })))
        }
        detailsForm = PredicateList(asksForDetails ? [catalogue.number(of: .authorizationDetailsForm)] : [])
    }

    /// Frees what was written out; nobody may use it any longer.
    func destroy() {
        for list in [claims, authenticationClasses, detailsForm] { list.destroy() }
        grpcMethods.destroy()
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
        for index in MethodSet.count..<firstGRPCRow where self[row: UInt16(index)].name.span.isEqual(to: name) {
            return UInt16(index)
        }
        return UInt16(MethodID.other.rawValue)
    }

    /// Whether it names methods of gRPC services.
    package var namesGRPCMethods: Bool { !grpcMethods.isEmpty }

    /// Where the needs of a call with this path are; nil for a method that has no name here.
    package func row(ofCall path: Span<UInt8>) -> UInt16? {
        grpcMethods.place(of: path).map { UInt16(firstGRPCRow + $0) }
    }

    /// What the method at a place that `row(of:named:)` or `row(ofCall:)` gave needs.
    package subscript(row index: UInt16) -> Row {
        unsafeAddress {
            precondition(Int(index) < rowCount, "a method's place is one that the policy gave")
            return unsafe UnsafePointer(rows + Int(index))
        }
    }

    /// The name of the method at a place, for texts; empty for one that nobody named.
    package func methodName(_ index: UInt16) -> String { String(copying: self[row: index].name.span) }

    /// The methods with a number of their own, at that number, then others that the settings name.
    private static func methodNames(_ named: Set<String>) -> [String] {
        let known = MethodSet.all.map(\.name)
        return known + named.filter { !known.contains($0) }.sorted()
    }
}
