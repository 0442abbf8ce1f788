import HTTP1

/// Bytes in which one reader would find a second request that another reader takes for a body, and why we refuse them.
///
/// `field` rows are spoken by a POST to `/`; behind its head come `tail` bytes that hold a request for `/admin`.
enum SmugglingVectors {
    static let tail = "5\r\nabcde\r\n0\r\n\r\nGET /admin HTTP/1.1\r\nHost: a\r\n\r\n"

    /// Field lines of a POST, in the order given, and the cause of the refusal.
    static let fields: [(String, HTTP1Refusal)] = [
        // Both framings, in every order and disguise (CL.TE, TE.CL, CL.0)
        ("Content-Length: 4\r\nTransfer-Encoding: chunked", .lengthAndTransferEncoding),
        ("Transfer-Encoding: chunked\r\nContent-Length: 4", .lengthAndTransferEncoding),
        ("Content-Length: 0\r\nTransfer-Encoding: chunked", .lengthAndTransferEncoding),
        ("Transfer-Encoding: identity\r\nContent-Length: 4", .lengthAndTransferEncoding),
        ("CONTENT-LENGTH: 4\r\nTRANSFER-ENCODING: CHUNKED", .lengthAndTransferEncoding),
        ("Content-Length: 4\r\nTransfer-Encoding: xchunked", .lengthAndTransferEncoding),
        ("Content-Length: 4\r\nTransfer-Encoding:", .lengthAndTransferEncoding),
        ("Content-Length:\r\nTransfer-Encoding: chunked", .lengthAndTransferEncoding),
        // TE.TE: one of two codings is believed
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: x", .transferEncodingRepeated),
        ("Transfer-Encoding: x\r\nTransfer-Encoding: chunked", .transferEncodingRepeated),
        ("Transfer-Encoding: chunked\r\ntransfer-encoding: identity", .transferEncodingRepeated),
        ("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked", .transferEncodingRepeated),
        ("Transfer-Encoding: chunked\r\nX: y\r\nTransfer-Encoding: chunked", .transferEncodingRepeated),
        // Codings that only look like chunked
        ("Transfer-Encoding: xchunked", .codingNotChunked),
        ("Transfer-Encoding: chunkedx", .codingNotChunked),
        ("Transfer-Encoding: x chunked", .codingNotChunked),
        ("Transfer-Encoding: chunked, identity", .codingNotChunked),
        ("Transfer-Encoding: chunked, chunked", .codingNotChunked),
        ("Transfer-Encoding: chunked,", .codingNotChunked),
        ("Transfer-Encoding: ,chunked", .codingNotChunked),
        ("Transfer-Encoding: \"chunked\"", .codingNotChunked),
        ("Transfer-Encoding: 'chunked'", .codingNotChunked),
        ("Transfer-Encoding: chunked;a=b", .codingNotChunked),
        ("Transfer-Encoding: identity", .codingNotChunked),
        ("Transfer-Encoding: gzip", .codingNotChunked),
        ("Transfer-Encoding:", .codingNotChunked),
        ("Transfer-Encoding: identity, chunked", .codingUnknown),
        ("Transfer-Encoding: cow, chunked", .codingUnknown),
        ("Transfer-Encoding: \u{b}chunked", .controlOctet),
        ("Transfer-Encoding: \u{c}chunked", .controlOctet),
        ("Transfer-Encoding: chunked\u{0}", .controlOctet),
        ("Transfer-Encoding: \u{a0}chunked", .codingNotChunked),
        // Names that only some readers take for the name
        ("Transfer-Encoding : chunked", .whitespaceBeforeColon),
        ("Transfer-Encoding\t: chunked", .whitespaceBeforeColon),
        ("Transfer-Encoding\u{b}: chunked", .controlOctet),
        ("Transfer-Encoding\u{0}: chunked", .controlOctet),
        ("Transfer Encoding: chunked", .fieldNameNotToken),
        ("\"Transfer-Encoding\": chunked", .fieldNameNotToken),
        ("Transfer-Encoding", .colonMissing),
        (": chunked", .fieldNameEmpty),
        ("Content-Length : 4", .whitespaceBeforeColon),
        ("Content-Length\u{a0}: 4", .fieldNameNotToken),
        // Lines that only some readers end or continue
        ("X: y\nTransfer-Encoding: chunked", .bareLineFeed),
        ("X: y\rTransfer-Encoding: chunked", .bareCarriageReturn),
        ("Transfer-Encoding: chunked\nX: y", .bareLineFeed),
        ("Transfer-Encoding:\n chunked", .bareLineFeed),
        ("Transfer-Encoding:\r\n chunked", .obsoleteLineFolding),
        ("Transfer-Encoding:\r\n\tchunked", .obsoleteLineFolding),
        ("X: y\r\n Transfer-Encoding: chunked", .obsoleteLineFolding),
        ("Content-Length: 4\r\n 5", .obsoleteLineFolding),
        ("X: y\r\n\rTransfer-Encoding: chunked", .bareCarriageReturn),
        ("X: y\n\rContent-Length: 4", .bareLineFeed),
        ("X: y\u{0}\r\nContent-Length: 4", .controlOctet),
        // Lengths that are not one number
        ("Content-Length: 4\r\nContent-Length: 5", .lengthRepeated),
        ("Content-Length: 4\r\nContent-Length: 4", .lengthRepeated),
        ("Content-Length: 4, 5", .lengthRepeated),
        ("Content-Length: 4,4", .lengthRepeated),
        ("Content-Length: +4", .lengthNotDecimal),
        ("Content-Length: -4", .lengthNotDecimal),
        ("Content-Length: 0x4", .lengthNotDecimal),
        ("Content-Length: 4 4", .lengthNotDecimal),
        ("Content-Length: 4.0", .lengthNotDecimal),
        ("Content-Length: 4e0", .lengthNotDecimal),
        ("Content-Length: \u{ff14}", .lengthNotDecimal),
        ("Content-Length:", .lengthNotDecimal),
        ("Content-Length: 18446744073709551620", .lengthTooLarge),
        ("Content-Length: 9223372036854775808", .lengthTooLarge),
        // Fields that somebody behind us would be told to drop
        ("Connection: Content-Length\r\nContent-Length: 4", .connectionNamesReserved),
        ("Transfer-Encoding: chunked\r\nConnection: close, Transfer-Encoding", .connectionNamesReserved),
        // Two addresses
        ("Host: b", .hostRepeated),
        ("Host: a\r\nContent-Length: 4", .hostRepeated),
    ]

    /// Whole heads whose first line is the disguise.
    static let heads: [(String, HTTP1Refusal)] = [
        ("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", .transferEncodingInHTTP10),
        ("POST / HTTP/1.1\nHost: a\nContent-Length: 4\n\n", .bareLineFeed),
        ("POST / HTTP/1.1\r\n Content-Length: 4\r\nHost: a\r\n\r\n", .whitespaceBeforeFirstField),
        ("POST / HTTP/1.1 \r\nHost: a\r\nContent-Length: 4\r\n\r\n", .requestLineMalformed),
        ("POST / HTTP/1.1\u{0}\r\nHost: a\r\nContent-Length: 4\r\n\r\n", .controlOctet),
        ("POST / HTTP/1.1\rX\r\nHost: a\r\nContent-Length: 4\r\n\r\n", .bareCarriageReturn),
        ("POST / HTTP/1.1\r\r\nHost: a\r\nContent-Length: 4\r\n\r\n", .bareCarriageReturn),
        ("POST /\u{b}HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n", .controlOctet),
        ("GET / HTTP/1.1 GET /admin HTTP/1.1\r\nHost: a\r\n\r\n", .requestLineMalformed),
        ("POST / HTTP/2.0\r\nHost: a\r\nContent-Length: 4\r\n\r\n", .versionNotSupported),
        ("\r\n\r\nPOST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n", .emptyLinesRepeated),
        ("\nPOST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n", .bareLineFeed),
    ]

    /// Chunked bodies in which only some readers find the end where we would.
    static let bodies: [(String, HTTP1Refusal)] = [
        ("5\nabcde\r\n0\r\n\r\n", .bareLineFeed),
        ("5\rabcde\r\n0\r\n\r\n", .bareCarriageReturn),
        ("5\r\nabcde\n0\r\n\r\n", .chunkDataNotTerminated),
        ("5\r\nabcdeXX0\r\n\r\n", .chunkDataNotTerminated),
        ("5\r\nabcdefgh\r\n0\r\n\r\n", .chunkDataNotTerminated),
        ("0x5\r\nabcde\r\n0\r\n\r\n", .chunkSizeMalformed),
        ("5 \r\nabcde\r\n0\r\n\r\n", .chunkSizeMalformed),
        ("+5\r\nabcde\r\n0\r\n\r\n", .chunkSizeMalformed),
        ("-5\r\nabcde\r\n0\r\n\r\n", .chunkSizeMalformed),
        ("5_0\r\nabcde\r\n0\r\n\r\n", .chunkSizeMalformed),
        ("100000000000000005\r\nabcde\r\n0\r\n\r\n", .chunkSizeTooLarge),
        ("FFFFFFFFFFFFFFFB\r\nabcde\r\n0\r\n\r\n", .chunkSizeTooLarge),
        ("5;\nabcde\r\n0\r\n\r\n", .bareLineFeed),
        ("5;x\nabcde\r\n0\r\n\r\n", .bareLineFeed),
        ("5;x\rabcde\r\n0\r\n\r\n", .bareCarriageReturn),
        ("5;x=\"\r\nabcde\"\r\n0\r\n\r\n", .chunkExtensionMalformed),
        ("5\r\nabcde\r\n0\n\n", .bareLineFeed),
        ("5\r\nabcde\r\n0\r\n\n", .bareLineFeed),
        ("5\r\nabcde\r\n0\r\n\rX", .bareCarriageReturn),
        ("5\r\nabcde\r\n\r\n0\r\n\r\n", .chunkSizeMissing),
        ("5\r\nabcde\r\n0\r\nX: y\n\r\n", .bareLineFeed),
        ("5\r\nabcde\r\n0\r\nGET /admin HTTP/1.1\r\nHost: a\r\n\r\n", .whitespaceBeforeColon),
    ]
}
