import HTTP1
import HTTPMessage
import Issuers
import JOSE
import JSON
import OAuth
import Testing

@testable import Access

@Suite struct `a cause in words` {
    @Test(
        arguments: [
            (PathRefusal.dotSegment, "dot segment"), (PathRefusal.nul, "nul"), (PathRefusal.nonASCII, "non ASCII"),
            (HTTP1Refusal.transferEncodingInHTTP10, "transfer encoding in HTTP10"),
            (HTTP1Refusal.targetSchemeNotHTTP, "target scheme not HTTP"),
            (IssuerRefusal.fetch(.connectFailed("port (1)")), "fetch: connect failed: \"port (1)\""),
            (
                IssuerRefusal.fetch(.connectFailed("Couldn't connect to \"id\"")),
                #"fetch: connect failed: "Couldn't connect to 'id'""#
            ),
            (IssuerRefusal.metadata(.status(500)), "metadata: status: 500"),
            (
                IssuerRefusal.metadata(.issuerMismatch(found: "http://id.test/")),
                #"metadata: issuer mismatch: found: "http://id.test/""#
            ),
            (IssuerRefusal.keySet(.keySetNotJSON(.duplicateMember)), "key set: key set not JSON: duplicate member"),
            (
                IssuerRefusal.portNotAllowed("https://a.example:8443/t"),
                "port not allowed: \"https://a.example:8443/t\""
            ),
        ] as [(any Error, String)])
    func `is not a name out of the code`(cause: any Error, words: String) {
        #expect(CauseWords.of(cause) == words)
    }

    @Test func `of HTTP 1 has no camel in it`() {
        for cause in HTTP1Refusal.allCases {
            let words = CauseWords.of(cause)
            #expect(!words.contains(#/[a-z][A-Z]|[().]/#), "\(words)")
        }
    }

    @Test(
        arguments: [
            "plain", "", "ends with )", "))))", "((((", "camelCase stays", "a.b.c", "two words: and a colon",
            "tab\tand line\nbreak", "{\"json\":true}", "JOSERefusal.keySetTooLarge", "\u{1B}[31m", "é and 漢",
        ])
    func `leaves a text that it carries as it is, and takes none of it for its own`(text: String) {
        let words = CauseWords.of(IssuerRefusal.fetch(.connectFailed(text)))
        let shown = text.debugDescription.replacing("\\\"", with: "'").replacing("\\'", with: "'")
        let inner = words.dropFirst("fetch: connect failed: ".count)
        #expect(words.hasPrefix("fetch: connect failed: \""), "\(words)")
        #expect(inner.first == "\"" && inner.last == "\"", "\(words)")
        #expect(String(inner.dropFirst().dropLast()) == shown.dropFirst().dropLast(), "\(words)")
        // What would move a reader's cursor, or begin a line of its own, is never there unescaped.
        #expect(!words.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
    }
}
