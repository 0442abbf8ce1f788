import HTTP1
import HTTPMessage
import Issuers
import JOSE
import JSON
import OAuth
import TestTraits
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

/// Every cause that an issuer's keys or metadata could not be read for, as the operator's log has it in `detail`.
private let issuerCauses: [(cause: IssuerRefusal, words: String)] = [
    (.fetch(.unresolved), "fetch: unresolved"),
    (.fetch(.refusedAddress("10.0.0.1")), #"fetch: refused address: "10.0.0.1""#),
    (.fetch(.connectFailed("no route")), #"fetch: connect failed: "no route""#),
    (.fetch(.tlsFailed("self-signed")), #"fetch: tls failed: "self-signed""#),
    (.fetch(.timedOut), "fetch: timed out"),
    (.fetch(.tooLarge), "fetch: too large"),
    (.fetch(.fieldsTooLarge), "fetch: fields too large"),
    (.fetch(.protocolNotAllowed), "fetch: protocol not allowed"),
    (.fetch(.unanswered), "fetch: unanswered"),
    (.fetch(.redirected), "fetch: redirected"),
    (.fetch(.cancelled), "fetch: cancelled"),
    (.fetch(.crowded), "fetch: crowded"),
    (.fetch(.tooManyOfClient), "fetch: too many of client"),
    (.fetch(.failed("bad header")), #"fetch: failed: "bad header""#),
    (.metadata(.issuerNotURL), "metadata: issuer not URL"),
    (.metadata(.issuerNotHTTPS), "metadata: issuer not HTTPS"),
    (.metadata(.issuerWithQueryOrFragment), "metadata: issuer with query or fragment"),
    (.metadata(.status(404)), "metadata: status: 404"),
    (.metadata(.contentType("text/html")), #"metadata: content type: "text/html""#),
    (.metadata(.tooLarge(bytes: 70_000)), "metadata: too large: bytes: 70000"),
    (.metadata(.notJSON(.duplicateMember)), "metadata: not JSON: duplicate member"),
    (.metadata(.notAnObject), "metadata: not an object"),
    (.metadata(.issuerMissing), "metadata: issuer missing"),
    (.metadata(.issuerMismatch(found: "http://b/")), #"metadata: issuer mismatch: found: "http://b/""#),
    (.metadata(.keySetLocationMissing), "metadata: key set location missing"),
    (.metadata(.endpointNotURL(member: "jwks_uri")), #"metadata: endpoint not URL: member: "jwks_uri""#),
    (.metadata(.endpointNotHTTPS(member: "jwks_uri")), #"metadata: endpoint not HTTPS: member: "jwks_uri""#),
    (.keySetStatus(500), "key set status: 500"),
    (.keySet(.keySetNotJSON(.tooDeep)), "key set: key set not JSON: too deep"),
    (.noUsableKeys(ignored: 3), "no usable keys: ignored: 3"),
    (.locationNotURL, "location not URL"),
    (.portNotAllowed("https://a:8443/k"), #"port not allowed: "https://a:8443/k""#),
]

/// The place of a cause in the list above: one that is new does not compile until it has one.
private func place(of cause: IssuerRefusal) -> Int {
    switch cause {
    case .fetch(let cause): place(of: cause)
    case .metadata(let cause): place(of: cause)
    case .keySetStatus: 27
    case .keySet: 28
    case .noUsableKeys: 29
    case .locationNotURL: 30
    case .portNotAllowed: 31
    }
}

private func place(of cause: FetchRefusal) -> Int {
    switch cause {
    case .unresolved: 0
    case .refusedAddress: 1
    case .connectFailed: 2
    case .tlsFailed: 3
    case .timedOut: 4
    case .tooLarge: 5
    case .fieldsTooLarge: 6
    case .protocolNotAllowed: 7
    case .unanswered: 8
    case .redirected: 9
    case .cancelled: 10
    case .crowded: 11
    case .tooManyOfClient: 12
    case .failed: 13
    }
}

private func place(of cause: MetadataRefusal) -> Int {
    switch cause {
    case .issuerNotURL: 14
    case .issuerNotHTTPS: 15
    case .issuerWithQueryOrFragment: 16
    case .status: 17
    case .contentType: 18
    case .tooLarge: 19
    case .notJSON: 20
    case .notAnObject: 21
    case .issuerMissing: 22
    case .issuerMismatch: 23
    case .keySetLocationMissing: 24
    case .endpointNotURL: 25
    case .endpointNotHTTPS: 26
    }
}

@Suite struct `a cause that an issuer cannot be read for` {
    @Test(.holds("OPS-03"), arguments: issuerCauses)
    func `has the words that operators know, whatever its case is called`(cause: IssuerRefusal, words: String) {
        #expect(CauseWords.of(cause) == words)
    }

    @Test func `is in the list, each of them`() {
        #expect(issuerCauses.map { place(of: $0.cause) } == Array(issuerCauses.indices))
    }
}
