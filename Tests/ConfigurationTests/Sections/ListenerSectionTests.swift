import Access
import Gateway
import Testing

@Suite struct `a listener` {
    @Test func `redirect_to_https is for the plain port beside one with tls`() throws {
        #expect(try settings(of: Sample().text).listeners[0].redirectsToHTTPS == false)
        let plain = Sample.listener("redirect_to_https: true").replacing("127.0.0.1:8443", with: "0.0.0.0:80")
        #expect(try settings(of: plain).listeners[0].redirectsToHTTPS)
        // What comes in the clear is not served, so that nothing has to be warned of.
        #expect(try warnings(of: plain) == "")
        let tls = Sample.listener("redirect_to_https: true, tls: { certificate: tls.crt, key: tls.key }")
        #expect(refusal(of: tls).contains("a listener without tls"))
        #expect(
            refusal(of: plain.replacing("https://a.example", with: "http://a.example")).contains("https public_url"))
    }
}
