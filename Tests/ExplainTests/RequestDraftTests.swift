import Crypto
import Explain
import Gateway
import JSON
import Telemetry
import TestSupport
import Testing

@testable import GatewayTests

@Suite struct `a request described by an operator` {
    private func head(_ url: String, _ fields: [String] = []) throws -> String {
        var draft = RequestDraft(url: url)
        draft.fields = fields
        return String(decoding: try draft.head(), as: UTF8.self)
    }

    @Test func `becomes the bytes that a client would have sent`() throws {
        #expect(
            try head("https://shop.example.com/a%2fb?q=1#part", ["X-A: b"])
                == "GET /a%2fb?q=1 HTTP/1.1\r\nHost: shop.example.com\r\nX-A: b\r\n\r\n")
        #expect(try head("http://[::1]:80") == "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n")
        #expect(try head("https://a?q", ["host: b"]) == "GET /?q HTTP/1.1\r\nhost: b\r\n\r\n")
    }

    @Test(arguments: ["shop.example.com/", "ftp://a/", "https://", "https:///a", "https://user@a/"])
    func `is refused without a URL that says all`(url: String) {
        #expect(throws: RequestDraft.Problem.self) { try head(url) }
    }

    @Test(arguments: [
        "Authorization: Bearer x", "AUTHORIZATION: x", "proxy-authorization: x", "DPoP: x", "Cookie: x", "no colon",
        ": x", "X-A: b\r\nAuthorization: Bearer x",
    ])
    func `is refused with a field that is a secret, or none`(field: String) {
        #expect(throws: RequestDraft.Problem.self) { try head("https://a/", [field]) }
    }

    @Test func `saved with bare line ends is mended, and nothing else`() {
        func saved(_ text: String) -> String { String(decoding: SavedRequest.head(Array(text.utf8)), as: UTF8.self) }
        #expect(saved("GET / HTTP/1.1\nHost: a\n\nbody") == "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(saved("GET / HTTP/1.1\r\nHost: a\r\n\r\n") == "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(saved("GET / HTTP/1.1\r\nHost : a\r\n") == "GET / HTTP/1.1\r\nHost : a\r\n\r\n")
        #expect(saved("> GET / HTTP/1.1\n> Host: a\n>\n< HTTP/1.1 200") == "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(saved("\u{FEFF}GET / HTTP/1.1\nHost: a") == "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(
            saved(":method: PUT\n:path: /x\n:authority: a\nx: y") == "PUT /x HTTP/1.1\r\nHost: a\r\nx: y\r\n\r\n")
    }

    @Test func `of any bytes is explained or refused, never more`() throws {
        let rig = ExplainRig()
        let explainer = try Explainer(
            rig.settings, now: ExplainRig.now, keys: { _ in .failure(KeysMissing(reason: "")) })
        let token = rig.mint.accessToken()
        let good = Array(
            "GET /api/orders/7?a=b HTTP/1.1\r\nHost: shop.example.com\r\nAuthorization: Bearer \(token)\r\nDPoP: a.b.c\r\n\r\n"
                .utf8)
        let whole = try explainer.explain(good, DryRun.Circumstances()).lines.count
        var numbers = Numbers(seed: 7)
        for round in 0..<2000 {
            var bytes = good
            for _ in 0...numbers.below(3) { bytes[numbers.below(bytes.count)] = UInt8(numbers.below(256)) }
            if round % 3 == 0 { bytes = Array(bytes.prefix(numbers.below(bytes.count))) }
            guard let explanation = try? explainer.explain(bytes, DryRun.Circumstances()) else { continue }
            #expect(explanation.lines.count == whole)
            #expect(!explanation.text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0 == "\u{1B}" })
            #expect((try? JSONValue.parse(explanation.json.span, limits: JSONLimits(bytes: 1 << 20))) != nil)
        }
    }

    @Test(arguments: [("0", 0), ("1800000000", 1_800_000_000), ("2027-01-15T08:00:00Z", 1_800_000_000)])
    func `may say when it was sent`(text: String, seconds: Int64) {
        #expect(UnixTime.parse(text) == seconds)
        #expect(UnixTime.parse(UnixTime.text(seconds)) == seconds)
    }

    @Test(arguments: [
        "", "now", "2027-02-30T08:00:00Z", "2027-01-15T08:00:00", "2027-01-15T25:00:00Z", "2027-13-01T00:00:00Z",
    ])
    func `says when by no other words`(text: String) { #expect(UnixTime.parse(text) == nil) }

    @Test func `brings a certificate by its digest`() {
        let pem = "-----BEGIN CERTIFICATE-----\nAQID\nBA==\n-----END CERTIFICATE-----\n"
        #expect(CertificateFile.thumbprint(Array(pem.utf8)) == SHA256.hash(([1, 2, 3, 4] as [UInt8]).span))
        #expect(CertificateFile.thumbprint(Array("-----BEGIN CERTIFICATE-----\n-----END".utf8)) == nil)
        #expect(CertificateFile.thumbprint(Array("something".utf8)) == nil)
    }

    @Test func `shows no private key that a client put into its proof`() throws {
        var rig = ExplainRig()
        rig.proveByDPoP()
        rig.proof?.header["jwk"] = "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"a\",\"y\":\"b\",\"d\":\"very-private\"}"
        let explanation = try rig.explain()
        #expect(!explanation.text.contains("very-private"))
        #expect(!String(decoding: explanation.json, as: UTF8.self).contains("very-private"))
        #expect(explanation.text.contains("[left out]"))
    }
}
