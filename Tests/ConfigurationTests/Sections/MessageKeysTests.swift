import Access
import Gateway
import TestTraits
import Testing

/// The keys by which upstreams are told of clients, and of this gateway.
@Suite struct `what upstreams are told` {
    @Test(.holds("HTTP-50")) func `is the name that the operator chose, or one of the first public URL`() throws {
        #expect(try settings(of: Sample(rest: "via: tg1").text).via == "tg1")
        let silent = try settings(of: Sample().text)
        #expect(silent.via == GatewaySettings.pseudonym(for: silent.listeners))
        #expect(silent.via.hasPrefix("portcullis-"))
        #expect(silent.via.count == "portcullis-".count + 8)
    }

    @Test(.holds("HTTP-52"), .refuses("HTTP-52")) func `is nothing that a proxy says, unless it is trusted`() throws {
        let silent = try settings(of: Sample().text).listeners[0]
        #expect(silent.trustedProxies == [])
        #expect(!silent.saysForwarded)
        let text = Sample.listener("trusted_proxies: [10.0.0.0/8, 'fd00::/8'], forwarded: true")
        let listener = try settings(of: text).listeners[0]
        #expect(listener.trustedProxies == ["10.0.0.0/8", "fd00::/8"])
        #expect(listener.saysForwarded)
    }

    @Test(.holds("ECO-76"), .refuses("ECO-76"))
    func `is whom a header names where a listener reads one, and only there`()
        throws
    {
        #expect(try settings(of: Sample().text).listeners[0].proxyProtocolFrom == [])
        let text = Sample.listener("proxy_protocol: { from: [10.0.0.0/8, 'fd00::/8', unix] }")
        #expect(try settings(of: text).listeners[0].proxyProtocolFrom == ["10.0.0.0/8", "fd00::/8", "unix"])
    }

    @Test func `shares an address with another process only when it says so`() throws {
        #expect(!(try settings(of: Sample().text).listeners[0].sharesAddress))
        #expect(try settings(of: Sample.listener("share_address: true")).listeners[0].sharesAddress)
        #expect(
            refusal(of: Sample.listener("share_address: yes"))
                == """
                gateway.yaml:1:86: listeners[0].share_address: expected true or false, found "yes"
                    write it as  true
                """)
    }

    @Test(.holds("HTTP-54"), .refuses("HTTP-54")) func `is the client's certificate, where a listener learns of one`()
        throws
    {
        let route = "routes: [{ path: /, upstream: http://127.0.0.1:3000, public: true, client_cert: true }]"
        for keys in [
            "client_cert_from: [10.0.0.7/32]",
            "tls: { certificate: tls.crt, key: tls.key, client_certificates: optional }",
        ] {
            var sample = Sample()
            sample.listeners =
                "listeners: [{ address: 127.0.0.1:8443, public_url: https://shop.example.com, \(keys) }]"
            #expect(try settings(of: sample.text).routes[0].sendsClientCert == false)
            sample.issuers = ""
            sample.routes = route
            #expect(try settings(of: sample.text).routes[0].sendsClientCert)
        }
        #expect(
            refusal(of: Sample(issuers: "", routes: route).text)
                == """
                gateway.yaml:3:68: routes[0].client_cert: expected a listener that asks clients for certificates, found none
                    say client_certificates in a listener's tls, or leave client_cert out
                """)
    }

    @Test(.holds("HTTP-68"), .refuses("HTTP-68")) func `is passed on or not`() throws {
        #expect(try settings(of: Sample().text).routes[0].hidesUnauthorized == false)
        #expect(try settings(of: Sample.tokenRoute("upstream_401: pass")).routes[0].hidesUnauthorized == false)
        #expect(try settings(of: Sample.tokenRoute("upstream_401: bad_gateway")).routes[0].hidesUnauthorized)
        #expect(
            refusal(of: Sample.tokenRoute("upstream_401: hide"))
                == """
                gateway.yaml:3:111: routes[0].upstream_401: expected one of pass, bad_gateway, found "hide"
                    words here: pass, bad_gateway
                """)
    }
}
