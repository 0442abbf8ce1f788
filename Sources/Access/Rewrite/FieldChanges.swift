import Bytes

/// What a route says of the fields of its requests or responses, beside what the gateway itself does (ECO-70).
package struct FieldChangeSettings: Sendable, Hashable {
    /// Fields with the value that they have whoever asks.
    package var constants: [FieldConstant] = []
    /// Names of fields that go no further.
    package var removed: [String] = []

    package init() {}

    package var isEmpty: Bool { constants.isEmpty && removed.isEmpty }
}

/// One field line of a configuration's.
package struct FieldConstant: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// The same, written out: lines that are copied, and names that are compared.
package struct FieldChanges: ~Copyable, Sendable {
    package let requestLines: FixedBytes
    package let responseLines: FixedBytes
    /// In the form that upstreams of CGI and its kin read names in: `X_A` is `X-A` to them.
    private let requestNames: TextList
    private let responseNames: TextList
    /// Whether browsers are told to be strict about what the upstream sends.
    private let hasSecurityHeaders: Bool
    /// Those of the security fields that the configuration says itself.
    private let saidHere: SecurityFields

    package init(request: FieldChangeSettings, response: FieldChangeSettings, securityHeaders: Bool) {
        requestLines = FixedBytes(FieldChanges.lines(request))
        responseLines = FixedBytes(FieldChanges.lines(response))
        requestNames = TextList(FieldChanges.names(request).map(ReservedNames.normalized))
        responseNames = TextList(FieldChanges.names(response))
        hasSecurityHeaders = securityHeaders
        saidHere = response.constants.reduce(into: []) { $0.formUnion(SecurityFields(named: Array($1.name.utf8).span)) }
    }

    /// Frees what was written out; nobody may use it any longer.
    package func destroy() {
        requestLines.destroy()
        responseLines.destroy()
    }

    private static func lines(_ settings: FieldChangeSettings) -> String {
        settings.constants.map { "\($0.name): \($0.value)\r\n" }.joined()
    }

    private static func names(_ settings: FieldChangeSettings) -> [String] {
        settings.constants.map(\.name) + settings.removed
    }

    /// Whether a client's field goes no further: it is removed, or the gateway's own takes its place.
    package func dropsRequestField(_ name: Span<UInt8>) -> Bool {
        for index in 0..<requestNames.count where ReservedNames.equal(name, requestNames[index]) { return true }
        return false
    }

    /// The same of an upstream's.
    package func dropsResponseField(_ name: Span<UInt8>) -> Bool { responseNames.containsIgnoringCase(name) }

    /// Whether the configuration's own lines have it.
    package func says(_ field: SecurityFields) -> Bool { saidHere.contains(field) }

    /// The lines for browsers which neither the upstream's response has nor the configuration.
    package func securityFields(beside seen: SecurityFields, isSecure: Bool) -> SecurityFields {
        guard hasSecurityHeaders else { return [] }
        let known = seen.union(saidHere)
        var fields = SecurityFields.all.subtracting(known)
        if !isSecure { fields.remove(.transport) }
        // To browsers frame-ancestors takes the place of X-Frame-Options, which may be stricter.
        if known.contains(.frameOptions) { fields.remove(.contentPolicy) }
        return fields
    }
}

/// The fields of `security_headers`.
package struct SecurityFields: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let transport = SecurityFields(rawValue: 1)
    package static let contentType = SecurityFields(rawValue: 2)
    package static let referrer = SecurityFields(rawValue: 4)
    package static let frameOptions = SecurityFields(rawValue: 8)
    package static let contentPolicy = SecurityFields(rawValue: 16)
    package static let all = SecurityFields(rawValue: 31)

    /// The one with this name; none for any other.
    package init(named name: Span<UInt8>) {
        switch name.count {
        case 15 where ASCII.equalsIgnoringCase(name, "referrer-policy"): self = .referrer
        case 15 where ASCII.equalsIgnoringCase(name, "x-frame-options"): self = .frameOptions
        case 22 where ASCII.equalsIgnoringCase(name, "x-content-type-options"): self = .contentType
        case 23 where ASCII.equalsIgnoringCase(name, "content-security-policy"): self = .contentPolicy
        case 25 where ASCII.equalsIgnoringCase(name, "strict-transport-security"): self = .transport
        default: self = []
        }
    }
}
