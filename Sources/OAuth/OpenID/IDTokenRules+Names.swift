import JOSE

extension IDTokenRules.Signature {
    /// The algorithms' names.
    public var names: String {
        switch self {
        case .algorithms(let algorithms): algorithms.map(\.name).joined(separator: " or ")
        case .secret(let algorithm, _): algorithm.name
        }
    }

    /// Whether it is made with the client's secret.
    package var isSecret: Bool {
        if case .secret = self { true } else { false }
    }
}

extension IDTokenRules {
    /// `leewaySeconds` within 0…300.
    package var clampedLeeway: Int64 { Int64(min(max(leewaySeconds, 0), 300)) }
}
