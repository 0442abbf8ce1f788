package import HTTP2

extension HeadFault {
    /// How a request over HTTP/2 is refused whose fields are no head that every reader reads alike, and what was found.
    package var refused: (cause: Refusal, found: String) {
        switch self {
        // Fields
        case .fieldNameMalformed: (.malformedMessage, "field name malformed")
        case .fieldValueMalformed: (.malformedMessage, "field value malformed")
        case .connectionField: (.malformedMessage, "field of a connection")
        case .transferCodings: (.malformedMessage, "te other than trailers")
        case .tooManyFields: (.headerSectionTooLarge, "too many fields")
        case .listTooLarge: (.headerSectionTooLarge, "header section too large")
        // Pseudo fields
        case .pseudoFieldRepeated: (.malformedMessage, "pseudo field repeated")
        case .pseudoFieldLate: (.malformedMessage, "pseudo field behind a field")
        case .pseudoFieldUnknown: (.malformedMessage, "pseudo field unknown")
        case .methodMissing: (.malformedMessage, "method missing")
        case .methodMalformed: (.malformedMessage, "method malformed")
        case .schemeMissing: (.malformedMessage, "scheme missing")
        case .schemeNotAccepted: (.malformedMessage, "scheme not the listener's")
        case .pathMissing: (.malformedMessage, "path missing")
        case .pathMalformed: (.malformedMessage, "path malformed")
        case .authorityMissing: (.malformedMessage, "authority missing")
        case .authorityMalformed: (.malformedMessage, "authority malformed")
        case .authorityAmbiguous: (.malformedMessage, "authority and Host differ")
        case .hostRepeated: (.malformedMessage, "host repeated")
        // CONNECT
        case .connectNotOffered: (.connectRefused, "CONNECT")
        case .tunnelNotOffered: (.malformedMessage, "tunnel not offered")
        case .tunnelProtocolUnknown: (.tunnelProtocolUnknown, "another :protocol")
        case .tunnelWithLength: (.malformedMessage, "tunnel with a length")
        // Responses
        case .statusMissing: (.malformedMessage, "status missing")
        case .statusInvalid: (.malformedMessage, "status invalid")
        }
    }
}
