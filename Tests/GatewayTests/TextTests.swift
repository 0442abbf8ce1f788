import Access
import EventLoop
import Gateway
import HTTP1
import HTTPMessage
import Issuers
import JOSE
import JSON
import OAuth
import Telemetry
import TestTraits
import Testing
import Transport

@Suite struct `what a client reads` {
    @Test(.refuses("RS-08"), arguments: Refusal.allCases)
    func `has only the characters of RFC 6750`(refusal: Refusal) {
        let text = refusal.clientDescription
        #expect(!text.isEmpty)
        #expect(text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C })
        let challenge = TokenChallenge(.bearer, realm: "r").value(.invalidToken(text))
        #expect(challenge.hasSuffix("error_description=\"\(text)\""))
    }

    @Test(.refuses("RS-15")) func `of an expired token is as RFC 6750 prints it`() {
        #expect(Refusal.tokenExpired.clientDescription == "The access token expired")
    }
}

@Suite struct `what an operator reads` {
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
    func `of a cause is words, not a name out of the code`(cause: any Error, words: String) {
        #expect(CauseWords.of(cause) == words)
    }

    @Test func `of any cause of HTTP 1 has no camel in it`() {
        for cause in HTTP1Refusal.allCases {
            let words = CauseWords.of(cause)
            #expect(!words.contains(#/[a-z][A-Z]|[().]/#), "\(words)")
        }
    }

    @Test func `of a failed start names the file and the reason`() {
        #expect(
            TLSFailure.key(file: "/run/tls.key", "no start line").description
                == "private key /run/tls.key: no start line")
        #expect(
            LogRefusal.cannotOpen(path: "/var/log/x", errorNumber: 13).description == "/var/log/x: Permission denied")
        #expect(EventLoopFailure.noDescriptor(24).description == "eventfd: Too many open files")
    }
}
