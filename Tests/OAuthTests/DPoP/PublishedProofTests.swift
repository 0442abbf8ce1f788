import Crypto
import JOSE
import JSON
import OAuth
import TestTraits
import Testing

/// The proofs that RFC 9449 prints.
private enum Published {
    /// Sections 4.1, Figure 2.
    static let tokenRequest = """
        eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0\
        VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10\
        NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjo\
        iUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.\
        2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg
        """
    /// Section 5, Figure 7.
    static let refreshRequest = """
        eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0\
        VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10\
        NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjo\
        iUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjY1Mjk2fQ.\
        pAqut2IRDm_De6PR93SYmGBPXpwrAk90e8cP2hjiaG5QsGSuKDYW7_X620BxqhvYC8ynrrvZLTk41mSRroapUA
        """
    /// Section 6.1.
    static let thumbprint = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
    /// Section 7.1, Figure 12.
    static let token = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"

    /// The resource request of Figure 12, and its moment.
    static func asked() -> Asked {
        Asked(
            method: "GET", path: "/protectedresource", bases: ["https://resource.example.org"], token: token,
            thumbprint: thumbprint, time: 1_562_262_618)
    }
}

@Suite struct `the proofs of RFC 9449` {
    @Test(.holds("DPOP-01", "DPOP-05", "DPOP-18")) func `the proof of Figure 13 is accepted for its request`() throws {
        let proof = try Published.asked().prove(PublishedTokens.dpopProof)
        #expect(proof.thumbprint.base64URL == Published.thumbprint && proof.issuedAt == 1_562_262_618)
        let id = Array("e1j3V_bKic8-LAEB".utf8)
        let identity = proof.thumbprint.bytes + [0] + id
        #expect(proof.replayKey == digest(bytes: identity))
    }

    @Test(.refuses("DPOP-05", "DPOP-07", "DPOP-08", "DPOP-10", "DPOP-18", "DPOP-19"))
    func `it is refused for every other`() {
        var asked = Published.asked()
        asked.method = "HEAD"
        #expect(asked.refusal(PublishedTokens.dpopProof) == .methodMismatch)
        asked = Published.asked()
        asked.path = "/protectedresource/"
        #expect(asked.refusal(PublishedTokens.dpopProof) == .targetMismatch)
        asked = Published.asked()
        asked.bases = ["http://resource.example.org"]
        #expect(asked.refusal(PublishedTokens.dpopProof) == .targetMismatch)
        asked = Published.asked()
        asked.time += 61
        #expect(asked.refusal(PublishedTokens.dpopProof) == .claim(.issuedTooEarly(secondsAgo: 61)))
        asked = Published.asked()
        asked.token += "x"
        #expect(asked.refusal(PublishedTokens.dpopProof) == .tokenHashMismatch)
        asked = Published.asked()
        asked.thumbprint = "A" + asked.thumbprint.dropFirst()
        #expect(asked.refusal(PublishedTokens.dpopProof) == .keyMismatch)
        let changed = PublishedTokens.dpopProof.replacing("2oW9RP35", with: "2oW9RP34")
        #expect(Published.asked().refusal(changed) == .signatureInvalid)
    }

    @Test(
        .holds("DPOP-05", "DPOP-06"), .refuses("DPOP-05", "DPOP-06"),
        arguments: [Published.tokenRequest, Published.refreshRequest])
    func `the proofs of Figures 2 and 7 hold, but are for no resource`(proof: String) throws {
        let text = Array(proof.utf8)
        let jws = try CompactJWS.parse(text.span, maximumBytes: 8192)
        let value = try #require(jws.header.parameters["jwk"])
        let key = try JWK(value)
        #expect(key.thumbprint.base64URL == Published.thumbprint)
        #expect(throws: Never.self) {
            try VerificationKeys(KeySet(keys: [key])).verify(jws, algorithms: [.es256])
        }
        var asked = Published.asked()
        asked.method = "POST"
        asked.path = "/token"
        asked.bases = ["https://server.example.com"]
        #expect(asked.refusal(proof) == .claim(.missing("ath")))
    }
}
