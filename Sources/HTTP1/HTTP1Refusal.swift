/// Why a message is refused: one case per cause, in the order in which a message is read.
public enum HTTP1Refusal: UInt8, Error, Sendable, CaseIterable {
    // Octets
    case bareLineFeed
    case bareCarriageReturn
    case controlOctet

    // Request line
    case emptyLinesRepeated
    case requestLineTooLong
    case requestLineMalformed
    case methodNotToken
    case methodReserved
    case versionMalformed
    case versionNotSupported
    case targetOctet
    case targetFragment
    case targetFormNotAllowed
    case targetSchemeNotHTTP
    case targetAuthorityInvalid

    // Status line
    case statusLineMalformed
    case statusInvalid

    // Field lines
    case headerSectionTooLarge
    case fieldLineTooLong
    case tooManyFields
    case whitespaceBeforeFirstField
    case obsoleteLineFolding
    case colonMissing
    case fieldNameEmpty
    case fieldNameNotToken
    case whitespaceBeforeColon

    // Framing
    case lengthAndTransferEncoding
    case lengthRepeated
    case lengthNotDecimal
    case lengthTooLarge
    case transferEncodingInHTTP10
    case transferEncodingRepeated
    case codingNotChunked
    case codingUnknown

    // Other fields that decide how a message is read
    case hostMissing
    case hostRepeated
    case hostInvalid
    case connectionMalformed
    case connectionNamesReserved
    case connectionOptionsTooMany
    case expectationUnknown

    // Chunked coding
    case chunkSizeMissing
    case chunkSizeMalformed
    case chunkSizeTooLarge
    case chunkLineTooLong
    case chunkExtensionMalformed
    case chunkExtensionsTooLong
    case chunkDataNotTerminated
    case trailersTooLarge
}

/// What reading a head has come to.
public enum HeadProgress: Sendable, Equatable {
    /// More bytes are needed.
    case incomplete
    /// The head is whole and checked.
    case complete
    /// The bytes are not an acceptable message; the connection cannot be trusted further.
    case refused(HTTP1Refusal)
}
