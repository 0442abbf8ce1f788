/// Why a header section that was decoded is no head anybody may act on: one case per cause.
public enum HeadFault: UInt8, Error, Sendable, CaseIterable {
    // Fields
    case fieldNameMalformed
    case fieldValueMalformed
    case connectionField
    case transferCodings
    case tooManyFields
    case listTooLarge

    // Pseudo fields of a request
    case pseudoFieldRepeated
    case pseudoFieldLate
    case pseudoFieldUnknown
    case methodMissing
    case methodMalformed
    case schemeMissing
    case schemeNotAccepted
    case pathMissing
    case pathMalformed
    case authorityMissing
    case authorityMalformed
    case authorityAmbiguous
    case hostRepeated

    // CONNECT
    case connectNotOffered
    case tunnelNotOffered
    case tunnelProtocolUnknown
    case tunnelWithLength

    // Responses
    case statusMissing
    case statusInvalid

    /// Whether the section is over a bound: 431 for a request.
    public var isTooLarge: Bool { self == .tooManyFields || self == .listTooLarge }
}
