import HTTP1
import TestSupport
import TestTraits
import Testing

/// What decoding has come to.
private enum Decoded: Equatable {
    case body(String, left: String)
    case unfinished(String)
    case refused(HTTP1Refusal)
}

/// Decodes the text cut in every way and holds the outcomes to be one.
private func decode(_ text: String, _ spelling: ChunkSizeSpelling = .exact) -> Decoded {
    decode(Array(text.utf8), spelling)
}

private func decode(_ bytes: [UInt8], _ spelling: ChunkSizeSpelling = .exact) -> Decoded {
    let whole = decode([bytes], spelling)
    for pieces in everyCut(of: bytes).dropFirst() where decode(pieces, spelling) != whole {
        Issue.record("cut at \(pieces[0].count): \(decode(pieces, spelling)) instead of \(whole)")
        break
    }
    return whole
}

private func decode(_ pieces: [[UInt8]], _ spelling: ChunkSizeSpelling = .exact) -> Decoded {
    var decoder = ChunkedDecoder(spelling)
    var body: [UInt8] = []
    for (number, piece) in pieces.enumerated() {
        var used = 0
        reading: while true {
            let input = piece.span.extracting(used...)
            switch decoder.next(input) {
            case .data(let offset, let count):
                #expect(count > 0 && offset + count <= input.count)
                body += piece[(used + offset)..<(used + offset + count)]
                used += offset + count
            case .needMore(let consumed):
                #expect(consumed == input.count)
                break reading
            case .end(let consumed):
                let left = piece[(used + consumed)...] + pieces[(number + 1)...].joined()
                return .body(String(decoding: body, as: UTF8.self), left: String(decoding: left, as: UTF8.self))
            case .refused(let refusal):
                #expect(decoder.next(input) == .refused(refusal), "a refusal is final")
                return .refused(refusal)
            }
        }
    }
    return .unfinished(String(decoding: body, as: UTF8.self))
}

@Suite struct `chunked coding` {
    @Test(
        .holds("HTTP-28", "HTTP-30"),
        arguments: [
            ("5\r\nabcde\r\n0\r\n\r\n", "abcde", ""), ("0\r\n\r\n", "", ""), ("000\r\n\r\nGET /", "", "GET /"),
            ("1\r\na\r\n2\r\nbc\r\n0\r\n\r\nrest", "abc", "rest"), ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789", ""),
            ("a\r\n0123456789\r\n0\r\n\r\n", "0123456789", ""), ("0000000000000003\r\nabc\r\n0\r\n\r\n", "abc", ""),
            ("4\r\n\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n", ""), ("5\r\n0\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\n", ""),
        ])
    func `chunks are joined and the body ends at the last one`(text: String, body: String, left: String) {
        #expect(decode(text) == .body(body, left: left))
    }

    @Test(
        .refuses("HTTP-31"),
        arguments: [
            "", "5", "5\r", "5\r\n", "5\r\nab", "5\r\nabcde", "5\r\nabcde\r", "5\r\nabcde\r\n", "5\r\nabcde\r\n0",
            "5\r\nabcde\r\n0\r\n",
            "5\r\nabcde\r\n0\r\n\r", "5\r\nabcde\r\n0\r\nX: y\r\n", "5;a=\"", "5\r\nabcde\r\n0\r\nX: y\r\n\r",
        ])
    func `a body that has not ended is never taken for whole`(text: String) {
        guard case .unfinished = decode(text) else {
            Issue.record("\(decode(text))")
            return
        }
    }

    @Test(
        .refuses("HTTP-28"),
        arguments: [
            ("0x5\r\n", HTTP1Refusal.chunkSizeMalformed), ("-1\r\n", .chunkSizeMalformed),
            ("+1\r\n", .chunkSizeMalformed),
            ("5 \r\n", .chunkSizeMalformed), (" 5\r\n", .chunkSizeMalformed), ("5\t\r\n", .chunkSizeMalformed),
            ("1_0\r\n", .chunkSizeMalformed),
            ("5 5\r\n", .chunkSizeMalformed), ("g\r\n", .chunkSizeMalformed), ("5h\r\n", .chunkSizeMalformed),
            ("5,\r\n", .chunkSizeMalformed),
            ("\u{e9}\r\n", .chunkSizeMalformed), ("5 ;a\r\n", .chunkSizeMalformed), ("\r\n", .chunkSizeMissing),
            (";a\r\n", .chunkSizeMissing),
            ("5.\r\n", .chunkSizeMalformed), ("\"5\"\r\n", .chunkSizeMalformed), ("5\u{0}\r\n", .controlOctet),
            ("\u{b}5\r\n", .controlOctet),
            ("1\r\na\r\n\r\n0\r\n\r\n", .chunkSizeMissing),
        ])
    func `a size is hexadecimal digits and nothing else`(text: String, refusal: HTTP1Refusal) {
        #expect(decode(text) == .refused(refusal))
        #expect(decode("1\r\na\r\n" + text) == .refused(refusal))
    }

    @Test(
        .holds("HTTP-28"), .refuses("HTTP-28"),
        arguments: [
            "5 \r\nabcde\r\n0\r\n\r\n", "5\t \r\nabcde\r\n0 \r\n\r\n", "5    ;a=b\r\nabcde\r\n0\r\n\r\n",
            "5 ; a\r\nabcde\r\n0\r\n\r\n",
            "00000000000000000000000000000005\r\nabcde\r\n0000000000000000000000\r\n\r\n",
            "000005  \r\nabcde\r\n000  \r\n\r\n",
        ])
    func `a size that its sender padded is taken from upstreams, and from nobody else`(text: String) {
        #expect(decode(text, .padded) == .body("abcde", left: ""))
        guard case .refused = decode(text) else {
            Issue.record("\(decode(text))")
            return
        }
    }

    @Test(
        .refuses("HTTP-28"),
        arguments: [
            (" 5\r\n", HTTP1Refusal.chunkSizeMalformed), ("5 5\r\n", .chunkSizeMalformed),
            ("5 x\r\n", .chunkSizeMalformed),
            (" \r\n", .chunkSizeMalformed), ("\r\n", .chunkSizeMissing), ("0x5\r\n", .chunkSizeMalformed),
            ("5 \n", .bareLineFeed),
            ("5 \rx", .bareCarriageReturn), ("5 ;\r\n", .chunkExtensionMalformed), ("5\u{b}\r\n", .controlOctet),
            ("010000000000000005\r\n", .chunkSizeTooLarge), ("8000000000000000 \r\n", .chunkSizeTooLarge),
            ("FFFFFFFFFFFFFFFFF\r\n", .chunkSizeTooLarge),
        ])
    func `padding is zeros in front and white space behind, and nothing else`(
        text: String, refusal: HTTP1Refusal
    ) {
        #expect(decode(text, .padded) == .refused(refusal))
        #expect(decode("1\r\na\r\n" + text, .padded) == .refused(refusal))
    }

    @Test(.refuses("HTTP-28")) func `padding is no longer than a line may be`() {
        let zeros = String(repeating: "0", count: 300)
        #expect(decode(zeros + "5\r\n", .padded) == .refused(.chunkLineTooLong))
        #expect(decode("5" + String(repeating: " ", count: 300) + "\r\n", .padded) == .refused(.chunkLineTooLong))
    }

    @Test(.holds("HTTP-28"), .refuses("HTTP-28"))
    func `a size of 16 digits is read as far as it can be counted, never wrapped`() {
        #expect(decode("7FFFFFFFFFFFFFFF\r\nab") == .unfinished("ab"))
        #expect(decode("8000000000000000\r\nab") == .refused(.chunkSizeTooLarge))
        #expect(decode("FFFFFFFFFFFFFFFF\r\nab") == .refused(.chunkSizeTooLarge))
        #expect(decode("8000000000000000;a\r\nab") == .refused(.chunkSizeTooLarge))
        #expect(decode("FFFFFFFFFFFFFFFFF\r\n") == .refused(.chunkSizeTooLarge))
        #expect(decode("00000000000000005\r\nabcde") == .refused(.chunkSizeTooLarge))
        #expect(decode("10000000000000005\r\nabcde") == .refused(.chunkSizeTooLarge))
    }

    @Test(
        .holds("HTTP-29"), .refuses("HTTP-29"),
        arguments: [
            "a;x=y\r\n", "A;x\r\n", "a;x=\"b\"\r\n", "a;x=\"b;c=\\\"d\\\\\"\r\n", "a;x;y=z;w=\"\"\r\n",
            "a; x = y ;\tz\r\n",
            "a;x=\"\u{e9}\t \"\r\n",
            "a;!#$%&'*+-.^_`|~=1\r\n",
        ])
    func `extensions are read by their grammar and dropped`(line: String) {
        #expect(decode(line + "0123456789\r\n0;last=\"x\"\r\n\r\n") == .body("0123456789", left: ""))
    }

    @Test(
        .refuses("HTTP-29"),
        arguments: [
            ("2;\nxx\r\n", HTTP1Refusal.bareLineFeed), ("2;a\nxx\r\n", .bareLineFeed), ("2;a=\"\nxx", .bareLineFeed),
            ("2\nxx\r\n", .bareLineFeed),
            ("2;a\rxx", .bareCarriageReturn), ("2\rxx", .bareCarriageReturn),
            ("2;a=\"\r\n\"\r\nxx", .chunkExtensionMalformed),
            ("2;\r\nxx", .chunkExtensionMalformed), ("2;a=\r\nxx", .chunkExtensionMalformed),
            ("2;=b\r\nxx", .chunkExtensionMalformed),
            ("2;a=\"b\r\nxx", .chunkExtensionMalformed), ("2;a=\"b\"c\r\nxx", .chunkExtensionMalformed),
            ("2;a b\r\nxx", .chunkExtensionMalformed),
            ("2;a=b c\r\nxx", .chunkExtensionMalformed), ("2;a \r\nxx", .chunkExtensionMalformed),
            ("2;a=b \r\nxx", .chunkExtensionMalformed),
            ("2;a==b\r\nxx", .chunkExtensionMalformed), ("2;;a\r\nxx", .chunkExtensionMalformed),
            ("2;\u{e9}\r\nxx", .chunkExtensionMalformed),
            ("2;a=\"\\\r\nxx", .chunkExtensionMalformed), ("2;a=\"\u{1}\"\r\nxx", .controlOctet),
            ("2;a=\"\\\u{0}\"\r\nxx", .controlOctet),
            ("2;a\u{7f}\r\nxx", .controlOctet), ("2;a=\"\"=b\r\nxx", .chunkExtensionMalformed),
        ])
    func `anything else behind the size is refused`(text: String, refusal: HTTP1Refusal) {
        #expect(decode(text) == .refused(refusal))
    }

    @Test(.holds("HTTP-29"), .refuses("HTTP-29")) func `a size line of 256 octets is read, one more is not`() {
        let exact = "1;" + String(repeating: "a", count: 254)
        #expect(decode("\(exact)\r\nx\r\n0\r\n\r\n") == .body("x", left: ""))
        #expect(decode("\(exact)a\r\nx\r\n0\r\n\r\n") == .refused(.chunkLineTooLong))
        #expect(decode("\(exact)a") == .refused(.chunkLineTooLong))
        #expect(decode("1;" + String(repeating: "a", count: 300) + "\r\n") == .refused(.chunkLineTooLong))
    }

    @Test(.holds("HTTP-29"), .refuses("HTTP-29")) func `all extensions of a message are 4096 octets at most`() {
        let chunk = "1;" + String(repeating: "a", count: 127) + "\r\nx\r\n"
        let full = String(repeating: chunk, count: 32)
        #expect(decode([Array((full + "0\r\n\r\n").utf8)]) == .body(String(repeating: "x", count: 32), left: ""))
        #expect(decode([Array((full + "0;\r\n\r\n").utf8)]) == .refused(.chunkExtensionsTooLong))
        #expect(decode((full + "0;a\r\n\r\n").utf8.map { [$0] }) == .refused(.chunkExtensionsTooLong))
    }

    @Test(
        .refuses("HTTP-30"),
        arguments: [
            "5\r\nabcdeXX", "5\r\nabcdef\r\n", "5\r\nabcde\n0\r\n\r\n", "5\r\nabcde0\r\n\r\n", "5\r\nabcde\r0",
            "3\r\nabcde\r\n",
            "5\r\nabcde \r\n",
        ])
    func `data is followed by CR LF exactly`(text: String) {
        #expect(decode(text) == .refused(.chunkDataNotTerminated))
    }

    @Test(
        .holds("HTTP-33"), .refuses("HTTP-33"),
        arguments: [
            "Foo: 1\r\n", "Authorization: Bearer x\r\nX-User: a\r\nContent-Length: 0\r\n", "X:\r\n", "X: \u{e9}\ty\r\n",
            "Transfer-Encoding: chunked\r\n",
        ])
    func `trailers are read and dropped`(lines: String) {
        #expect(decode("1\r\nx\r\n0\r\n\(lines)\r\nGET") == .body("x", left: "GET"))
    }

    @Test(
        .refuses("HTTP-33"),
        arguments: [
            ("\n", HTTP1Refusal.bareLineFeed), ("X: y\n\r\n", .bareLineFeed), ("X\n", .bareLineFeed),
            ("X: y\rZ", .bareCarriageReturn), ("\rX", .bareCarriageReturn),
            (" X: y\r\n", .whitespaceBeforeFirstField), ("X: y\r\n z\r\n", .obsoleteLineFolding),
            ("X: y\r\n\tz\r\n", .obsoleteLineFolding),
            ("X : y\r\n", .whitespaceBeforeColon), (": y\r\n", .fieldNameEmpty), ("X\r\n", .colonMissing),
            ("X(: y\r\n", .fieldNameNotToken),
            ("(: y\r\n", .fieldNameNotToken), ("GET /admin HTTP/1.1\r\n", .whitespaceBeforeColon),
            ("X: \u{0}\r\n", .controlOctet),
            ("X: y\u{7f}\r\n", .controlOctet), ("X\u{1}: y\r\n", .controlOctet), ("\u{e9}: y\r\n", .fieldNameNotToken),
        ])
    func `trailers are held to the grammar of fields`(lines: String, refusal: HTTP1Refusal) {
        #expect(decode("0\r\n\(lines)\r\n") == .refused(refusal))
    }

    @Test(.holds("HTTP-33"), .refuses("HTTP-33")) func `trailers are bounded in lines and octets`() {
        func trailers(_ lines: Int) -> [[UInt8]] {
            [Array(("0\r\n" + String(repeating: "X: y\r\n", count: lines) + "\r\n").utf8)]
        }
        #expect(decode(trailers(100)) == .body("", left: ""))
        #expect(decode(trailers(101)) == .refused(.trailersTooLarge))
        let long = "0\r\nX: " + String(repeating: "y", count: 70_000)
        #expect(decode([Array(long.utf8)]) == .refused(.trailersTooLarge))
        let fits = "0\r\nX: " + String(repeating: "y", count: 60_000) + "\r\n\r\n"
        #expect(decode([Array(fits.utf8)]) == .body("", left: ""))
    }

    @Test func `a decoder that has ended stays there`() {
        var decoder = ChunkedDecoder()
        let bytes = Array("0\r\n\r\n5\r\n".utf8)
        #expect(decoder.next(bytes.span) == .end(consumed: 5))
        #expect(decoder.next(bytes.span) == .end(consumed: 0))
    }
}
