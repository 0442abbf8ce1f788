import Access
import HTTP1
import HTTPMessage
import TestTraits
import Testing

/// What breaks the rules of HTTP/1.1: how it is answered, and what the operator reads.
private let golden = """
    bareLineFeed 400 bare line feed
    bareCarriageReturn 400 bare carriage return
    controlOctet 400 control octet
    emptyLinesRepeated 400 empty lines repeated
    requestLineTooLong 414 request line too long
    requestLineMalformed 400 request line malformed
    methodNotToken 400 method not token
    methodReserved 400 method reserved
    versionMalformed 400 version malformed
    versionNotSupported 505 version not supported
    targetOctet 400 target octet
    targetFragment 400 target fragment
    targetFormNotAllowed 400 target form not allowed
    targetSchemeNotHTTP 400 target scheme not HTTP
    targetAuthorityInvalid 400 target authority invalid
    statusLineMalformed 400 status line malformed
    statusInvalid 400 status invalid
    headerSectionTooLarge 431 header section too large
    fieldLineTooLong 431 field line too long
    tooManyFields 431 too many fields
    whitespaceBeforeFirstField 400 whitespace before first field
    obsoleteLineFolding 400 obsolete line folding
    colonMissing 400 colon missing
    fieldNameEmpty 400 field name empty
    fieldNameNotToken 400 field name not token
    whitespaceBeforeColon 400 whitespace before colon
    lengthAndTransferEncoding 400 length and transfer encoding
    lengthRepeated 400 length repeated
    lengthNotDecimal 400 length not decimal
    lengthTooLarge 400 length too large
    transferEncodingInHTTP10 400 transfer encoding in HTTP10
    transferEncodingRepeated 400 transfer encoding repeated
    codingNotChunked 400 coding not chunked
    codingUnknown 501 coding unknown
    hostMissing 400 host missing
    hostRepeated 400 host repeated
    hostInvalid 400 host invalid
    connectionMalformed 400 connection malformed
    connectionNamesReserved 400 connection names reserved
    connectionOptionsTooMany 400 connection options too many
    expectationUnknown 417 expectation unknown
    chunkSizeMissing 400 chunk size missing
    chunkSizeMalformed 400 chunk size malformed
    chunkSizeTooLarge 400 chunk size too large
    chunkLineTooLong 400 chunk line too long
    chunkExtensionMalformed 400 chunk extension malformed
    chunkExtensionsTooLong 400 chunk extensions too long
    chunkDataNotTerminated 400 chunk data not terminated
    trailersTooLarge 400 trailers too large
    """

@Suite struct `a malformed message` {
    @Test(.refuses("HTTP-08", "HTTP-24", "HTTP-25", "HTTP-62", "HTTP-65"))
    func `is answered with the status of its cause, and told in words of its own`() {
        let lines = HTTP1Refusal.allCases.map { cause in
            let (refusal, detail) = cause.refused(by: HTTP1Limits())
            return "\(cause) \(refusal.status) \(detail.found)"
        }
        #expect(lines == golden.split(separator: "\n").map(String.init))
    }

    @Test(.refuses("HTTP-24")) func `closes its connection, whatever is wrong with it, and blames its sender`() {
        for cause in HTTP1Refusal.allCases {
            let (refusal, detail) = cause.refused(by: HTTP1Limits())
            #expect(refusal.closesConnection, "\(cause)")
            #expect(refusal.blame == .client, "\(cause)")
            #expect(!detail.expected.isEmpty, "\(cause)")
        }
    }

    @Test func `is said of paths, offers and certificates in the words that their causes are named by`() {
        for cause in PathRefusal.allCases { #expect(cause.found == CauseWords.of(cause)) }
        for cause in WebSocketOfferRefusal.allCases { #expect(cause.found == CauseWords.of(cause)) }
        let items: [StructuredFieldRefusal] = [
            .tooLong, .noItem, .number, .string, .byteSequence, .boolean, .date, .parameterName, .tooManyParameters,
            .trailingBytes,
        ]
        let certificates: [ClientCertField.Refusal] = [.repeated, .notBytes, .tooLarge, .notDER]
        for cause in certificates + items.map({ ClientCertField.Refusal.malformed($0) }) {
            #expect(cause.found == CauseWords.of(cause))
        }
    }

    @Test(
        .refuses("HTTP-44"),
        arguments: [
            (.connectionNamesReserved, .reservedConnectionOption), (.lengthAndTransferEncoding, .malformedMessage),
            (.codingUnknown, .unknownTransferCoding), (.connectionOptionsTooMany, .malformedMessage),
        ] as [(HTTP1Refusal, Refusal)])
    func `has a row in the table of refusals`(cause: HTTP1Refusal, refusal: Refusal) {
        #expect(cause.refused(by: HTTP1Limits()).cause == refusal)
        #expect(cause.refused(by: HTTP1Limits()).detail.found == CauseWords.of(cause))
    }
}
