package import HTTP1

extension HTTP1Refusal {
    /// The refusal of a request that breaks this rule.
    package var refusal: Refusal { row.cause }

    /// What broke this rule, for the operator: of a request, of a response, or of a body.
    package var found: String { row.found }

    /// How a request that breaks this rule is refused, and what the operator reads beside it: of a bound, its key too.
    package func refused(by limits: HTTP1Limits) -> (cause: Refusal, detail: RefusalDetail) {
        let row = row
        return (row.cause, RefusalDetail(expected: row.bound.words(limits), found: row.found))
    }

    /// What a message would have been accepted for.
    private enum Bound {
        case oneReading, requestLine, headerSection, fieldLine, fieldCount, version, expectation

        func words(_ limits: HTTP1Limits) -> String {
            switch self {
            case .oneReading: "a message that every reader reads alike"
            case .requestLine: "at most \(limits.requestLine) bytes (limits.request_line)"
            case .headerSection: "at most \(limits.headerSection) bytes (limits.header_section)"
            case .fieldLine: "at most \(limits.fieldLine) bytes (limits.field_line)"
            case .fieldCount: "at most \(limits.fieldCount) fields (limits.field_count)"
            case .version: "HTTP/1.1 or HTTP/1.0"
            case .expectation: "100-continue"
            }
        }
    }

    private var row: (cause: Refusal, bound: Bound, found: String) {
        switch self {
        // Octets
        case .bareLineFeed: (.malformedMessage, .oneReading, "bare line feed")
        case .bareCarriageReturn: (.malformedMessage, .oneReading, "bare carriage return")
        case .controlOctet: (.malformedMessage, .oneReading, "control octet")
        // Request line
        case .emptyLinesRepeated: (.malformedMessage, .oneReading, "empty lines repeated")
        case .requestLineTooLong: (.requestLineTooLong, .requestLine, "request line too long")
        case .requestLineMalformed: (.malformedMessage, .oneReading, "request line malformed")
        case .methodNotToken: (.malformedMessage, .oneReading, "method not token")
        case .methodReserved: (.malformedMessage, .oneReading, "method reserved")
        case .versionMalformed: (.malformedMessage, .oneReading, "version malformed")
        case .versionNotSupported: (.versionNotSupported, .version, "version not supported")
        case .targetOctet: (.malformedMessage, .oneReading, "target octet")
        case .targetFragment: (.malformedMessage, .oneReading, "target fragment")
        case .targetFormNotAllowed: (.malformedMessage, .oneReading, "target form not allowed")
        case .targetSchemeNotHTTP: (.malformedMessage, .oneReading, "target scheme not HTTP")
        case .targetAuthorityInvalid: (.malformedMessage, .oneReading, "target authority invalid")
        // Status line
        case .statusLineMalformed: (.malformedMessage, .oneReading, "status line malformed")
        case .statusInvalid: (.malformedMessage, .oneReading, "status invalid")
        // Field lines
        case .headerSectionTooLarge: (.headerSectionTooLarge, .headerSection, "header section too large")
        case .fieldLineTooLong: (.headerSectionTooLarge, .fieldLine, "field line too long")
        case .tooManyFields: (.headerSectionTooLarge, .fieldCount, "too many fields")
        case .whitespaceBeforeFirstField: (.malformedMessage, .oneReading, "whitespace before first field")
        case .obsoleteLineFolding: (.malformedMessage, .oneReading, "obsolete line folding")
        case .colonMissing: (.malformedMessage, .oneReading, "colon missing")
        case .fieldNameEmpty: (.malformedMessage, .oneReading, "field name empty")
        case .fieldNameNotToken: (.malformedMessage, .oneReading, "field name not token")
        case .whitespaceBeforeColon: (.malformedMessage, .oneReading, "whitespace before colon")
        // Framing
        case .lengthAndTransferEncoding: (.malformedMessage, .oneReading, "length and transfer encoding")
        case .lengthRepeated: (.malformedMessage, .oneReading, "length repeated")
        case .lengthNotDecimal: (.malformedMessage, .oneReading, "length not decimal")
        case .lengthTooLarge: (.malformedMessage, .oneReading, "length too large")
        case .transferEncodingInHTTP10: (.malformedMessage, .oneReading, "transfer encoding in HTTP10")
        case .transferEncodingRepeated: (.malformedMessage, .oneReading, "transfer encoding repeated")
        case .codingNotChunked: (.malformedMessage, .oneReading, "coding not chunked")
        case .codingUnknown: (.unknownTransferCoding, .oneReading, "coding unknown")
        // Other fields that decide how a message is read
        case .hostMissing: (.malformedMessage, .oneReading, "host missing")
        case .hostRepeated: (.malformedMessage, .oneReading, "host repeated")
        case .hostInvalid: (.malformedMessage, .oneReading, "host invalid")
        case .connectionMalformed: (.malformedMessage, .oneReading, "connection malformed")
        case .connectionNamesReserved: (.reservedConnectionOption, .oneReading, "connection names reserved")
        case .connectionOptionsTooMany: (.malformedMessage, .oneReading, "connection options too many")
        case .expectationUnknown: (.expectationUnknown, .expectation, "expectation unknown")
        // Chunked coding
        case .chunkSizeMissing: (.malformedMessage, .oneReading, "chunk size missing")
        case .chunkSizeMalformed: (.malformedMessage, .oneReading, "chunk size malformed")
        case .chunkSizeTooLarge: (.malformedMessage, .oneReading, "chunk size too large")
        case .chunkLineTooLong: (.malformedMessage, .oneReading, "chunk line too long")
        case .chunkExtensionMalformed: (.malformedMessage, .oneReading, "chunk extension malformed")
        case .chunkExtensionsTooLong: (.malformedMessage, .oneReading, "chunk extensions too long")
        case .chunkDataNotTerminated: (.malformedMessage, .oneReading, "chunk data not terminated")
        case .trailersTooLarge: (.malformedMessage, .oneReading, "trailers too large")
        }
    }
}
