import Bytes
import Crypto
import HTTPMessage
import TestTraits
import Testing

@testable import Access
@testable import Gateway

@Suite struct `the name in Via` {
    private func isOurs(_ member: String) -> Bool {
        HeadView.isReceived(by: Array("shop-gateway".utf8).span, Array(member.utf8).span)
    }

    @Test(
        .holds("HTTP-51"),
        arguments: [
            "1.1 shop-gateway", "1.0 shop-gateway", "HTTP/1.1 shop-gateway", "1.1 SHOP-Gateway", "2  \tshop-gateway",
            "1.1 shop-gateway (comment)", "x shop-gateway\t(comment)",
        ])
    func `is known again in any version and case`(member: String) {
        #expect(isOurs(member))
    }

    @Test(
        .refuses("HTTP-51"),
        arguments: [
            "", "1.1", "shop-gateway", "1.1 other", "1.1 shop-gateway2", "1.1 xshop-gateway", "1.1 shop",
            "1.1 (shop-gateway)",
            "1.1 other shop-gateway", "1.1 shop-gateway:80", "1.1,shop-gateway",
        ])
    func `is no other's`(member: String) {
        #expect(!isOurs(member))
    }

    private func name(_ url: String) -> String {
        let address = SocketAddressSettings(host: "127.0.0.1", port: 0)
        return GatewaySettings.pseudonym(for: [ListenerSettings(address: address, publicURL: url, authorities: [])])
    }

    @Test(.refuses("HTTP-50")) func `is by default the same for replicas, another for another gateway, and no host's`()
    {
        let url = "https://shop.example.com"
        #expect(name(url) == "portcullis-" + Hex.encode(SHA256.hash(Array(url.utf8).span).bytes.span).prefix(8))
        #expect(name(url) != name("https://api.example.com"))
        #expect(name(url).utf8.allSatisfy(ASCII.isToken))
        #expect(!name(url).contains("shop"))
    }

    @Test(.holds("HTTP-50")) func `stands in a line for each version`() {
        let via = Via("shop-gateway")
        #expect(String(decoding: via.http10.buffer, as: UTF8.self) == "Via: 1.0 shop-gateway\r\n")
        #expect(String(decoding: via.http11.buffer, as: UTF8.self) == "Via: 1.1 shop-gateway\r\n")
    }
}
