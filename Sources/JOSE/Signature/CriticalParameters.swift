import JSON

/// `crit`: names header parameters that a reader must understand or refuse the token (RFC 7515 §4.1.11).
///
/// No extension is implemented, so every `crit` is refused; what differs is whose mistake it is.
enum CriticalParameters {
    /// Names of RFC 7515 §4.1, RFC 7516 §4.1 and RFC 7518 §4, which `crit` must not list.
    private static let registered = [
        "alg", "jku", "jwk", "kid", "x5u", "x5c", "x5t", "x5t#S256", "typ", "cty", "crit", "enc", "zip", "epk", "apu",
        "apv", "iv", "tag", "p2s", "p2c",
    ]

    /// Why a header with this `crit` is refused.
    static func refusal(_ critical: JSONValue, in header: JSONValue) -> JOSERefusal {
        let names = critical.elements.compactMap(\.string)
        guard critical.kind == .array, !names.isEmpty, names.count == critical.count else { return .criticalInvalid }
        guard Set(names).count == names.count else { return .criticalInvalid }
        guard names.allSatisfy({ !registered.contains($0) && header[$0] != nil }) else { return .criticalInvalid }
        return .criticalNotUnderstood
    }
}
