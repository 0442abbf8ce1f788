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
    @Test(.refuses("RS-08"), arguments: Refusal.allCases.filter { $0.clientDescription != nil })
    func `has only the characters of RFC 6750`(refusal: Refusal) {
        let text = refusal.clientDescription ?? ""
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
    @Test func `of a failed start names the file and the reason`() {
        #expect(
            TLSFailure.key(file: "/run/tls.key", "no start line").description
                == "private key /run/tls.key: no start line")
        #expect(
            LogRefusal.cannotOpen(path: "/var/log/x", errorNumber: 13).description == "/var/log/x: Permission denied")
        #expect(EventLoopFailure.noDescriptor(24).description == "eventfd: Too many open files")
    }
}
