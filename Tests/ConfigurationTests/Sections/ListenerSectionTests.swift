import Gateway
import TestTraits
import Testing

@Suite struct `a listener that does not load` {
    @Test func `a name in place of an address is refused`() {
        #expect(
            refusal(
                of: Sample(listeners: "listeners: [{ address: localhost:8443, public_url: https://a.example }]").text)
                    == """
                    gateway.yaml:1:24: listeners[0].address: expected an IP address and a port such as 0.0.0.0:8443 or [::]:8443, found "localhost:8443"
                        write it as  127.0.0.1:8443
                    """)
    }

    @Test func `a port alone is refused`() {
        #expect(
            refusal(of: Sample(listeners: "listeners: [{ address: ':8443', public_url: https://a.example }]").text)
                == """
                gateway.yaml:1:24: listeners[0].address: expected an IP address and a port such as 0.0.0.0:8443 or [::]:8443, found ":8443"
                    write it as  0.0.0.0:8443 or [::]:8443
                """)
    }

    @Test func `an address without a port is refused`() {
        #expect(
            refusal(of: Sample(listeners: "listeners: [{ address: 127.0.0.1, public_url: https://a.example }]").text)
                == """
                gateway.yaml:1:24: listeners[0].address: expected an IP address and a port such as 0.0.0.0:8443 or [::]:8443, found "127.0.0.1"
                    names are not looked up here: write the address itself and a port up to 65535
                """)
    }

    @Test func `a port beyond 65535 is refused`() {
        #expect(
            refusal(
                of: Sample(listeners: "listeners: [{ address: 127.0.0.1:65536, public_url: https://a.example }]").text)
                    == """
                    gateway.yaml:1:24: listeners[0].address: expected an IP address and a port such as 0.0.0.0:8443 or [::]:8443, found "127.0.0.1:65536"
                        names are not looked up here: write the address itself and a port up to 65535
                    """)
    }

    @Test func `an IPv6 address without brackets is refused`() {
        #expect(
            refusal(of: Sample(listeners: "listeners: [{ address: '::1:8443', public_url: https://a.example }]").text)
                == """
                gateway.yaml:1:24: listeners[0].address: expected an IP address and a port such as 0.0.0.0:8443 or [::]:8443, found "::1:8443"
                    write IPv6 in brackets, and a port: [::1]:8443
                """)
    }

    @Test func `a public URL with a path is refused`() {
        #expect(
            refusal(
                of: Sample(listeners: "listeners: [{ address: 127.0.0.1:8443, public_url: https://a.example/shop }]")
                    .text)
                    == """
                    gateway.yaml:1:52: listeners[0].public_url: expected a URL such as https://shop.example.com, found "https://a.example/shop"
                        leave out path and query: routes say the paths
                    """)
    }

    @Test func `a public URL with user information is refused`() {
        #expect(
            refusal(
                of: Sample(listeners: "listeners: [{ address: 127.0.0.1:8443, public_url: https://me@a.example }]").text
            )
                == """
                gateway.yaml:1:52: listeners[0].public_url: expected a URL such as https://shop.example.com, found "https://…@a.example"
                    write it as  https://shop.example.com
                """)
    }

    @Test func `a host with a scheme is refused`() {
        #expect(
            refusal(of: Sample.listener("hosts: [https://b.example]"))
                == """
                gateway.yaml:1:79: listeners[0].hosts[0]: expected a host and perhaps a port such as orders.internal:8443, found "https://b.example"
                    write what clients put in Host: no scheme, no path
                """)
    }

    @Test func `two listeners on one address are refused`() {
        #expect(
            refusal(
                of: Sample(
                    listeners:
                        "listeners: [{ address: 127.0.0.1:8443, public_url: https://a.example }, { address: 0.0.0.0:8443, public_url: https://b.example }]"
                ).text)
                    == """
                    gateway.yaml:1:84: warning: listeners[1].address: expected tls, or an address on loopback, found plain HTTP on 0.0.0.0:8443
                        make sure that a TLS terminator stands in front and nothing else reaches this port
                    gateway.yaml:1:84: listeners[1].address: expected an address of its own, found 0.0.0.0:8443 beside 127.0.0.1:8443 on line 1
                        choose another port
                    """)
    }

    @Test func `admin on a listener's port is refused`() {
        #expect(
            refusal(of: Sample(rest: "admin: { address: 127.0.0.1:8443 }").text)
                == """
                gateway.yaml:4:19: admin.address: expected an address of its own for admin, found 127.0.0.1:8443 beside the listener 127.0.0.1:8443
                    choose another port
                """)
    }

    @Test func `a certificate without a key is refused`() {
        #expect(
            refusal(of: Sample.listener("tls: { certificate: tls.crt }"))
                == """
                gateway.yaml:1:78: listeners[0].tls.certificate: expected a key for the certificate, found nothing
                    add  key: /run/tls/tls.key
                """)
    }

    @Test func `a key without a certificate is refused`() {
        #expect(
            refusal(of: Sample.listener("tls: { key: tls.key }"))
                == """
                gateway.yaml:1:76: listeners[0].tls: expected exactly one of certificate, certificates, found none of them
                    add  certificate: /run/tls/tls.crt  or  certificates: [{ certificate: a.crt, key: a.key }, { certificate: b.crt, key: b.key }]
                """)
    }

    @Test func `a certificate beside certificates is refused`() {
        #expect(
            refusal(
                of: Sample.listener(
                    "tls: { certificate: tls.crt, key: tls.key, certificates: [{ certificate: tls.crt, key: tls.key }] }"
                ))
                    == """
                    gateway.yaml:1:114: listeners[0].tls: expected exactly one of certificate, certificates, found certificate and certificates
                        keep one of them
                    """)
    }

    @Test func `a version of TLS as a bare number is refused`() {
        #expect(
            refusal(of: Sample.listener("tls: { certificate: tls.crt, key: tls.key, minimum_version: 1.2 }"))
                == """
                gateway.yaml:1:131: listeners[0].tls.minimum_version: expected one of 1.2, 1.3, found the number 1.2
                    put it in quotation marks: "1.2"
                """)
    }

    @Test func `an old version of TLS is refused`() {
        #expect(
            refusal(of: Sample.listener(#"tls: { certificate: tls.crt, key: tls.key, minimum_version: "1.1" }"#))
                == """
                gateway.yaml:1:131: listeners[0].tls.minimum_version: expected one of 1.2, 1.3, found "1.1"
                    did you mean 1.2?
                """)
    }

    @Test func `tls with an http public URL is refused`() {
        #expect(
            refusal(
                of: Sample(
                    listeners:
                        "listeners: [{ address: 127.0.0.1:8443, public_url: http://a.example, tls: { certificate: tls.crt, key: tls.key } }]"
                ).text)
                    == """
                    gateway.yaml:1:52: listeners[0].public_url: expected an https URL for a listener with tls, found "http://a.example"
                        write https, or leave tls out
                    """)
    }

    @Test func `a certificate file that is not there is refused`() {
        #expect(
            refusal(of: Sample.listener("tls: { certificate: gone.crt, key: tls.key }"))
                == """
                gateway.yaml:1:91: listeners[0].tls.certificate: expected a readable file with a certificate chain, found "gone.crt": no such file
                    it was looked for at "gone.crt"; paths are absolute, or relative to this file's folder
                """)
    }

    @Test func `a certificate file with a key in it is refused`() {
        #expect(
            refusal(of: Sample.listener("tls: { certificate: tls.key, key: tls.key }"))
                == """
                gateway.yaml:1:91: listeners[0].tls.certificate: expected a certificate chain in PEM and the private key of its leaf, found no certificate in PEM
                    check that certificate and key name the right files, and belong together
                """)
    }

    @Test func `a key under a passphrase is refused`() {
        #expect(
            refusal(of: Sample.listener("tls: { certificate: tls.crt, key: locked.key }"))
                == """
                gateway.yaml:1:91: listeners[0].tls.certificate: expected a certificate chain in PEM and the private key of its leaf, found a private key under a passphrase
                    check that certificate and key name the right files, and belong together
                """)
    }

    @Test(.refuses("CA-17")) func `a private key that everybody can read is refused`() {
        #expect(
            refusal(of: Sample.listener("tls: { certificate: tls.crt, key: open.key }"))
                == """
                gateway.yaml:1:105: listeners[0].tls.key: expected a private key that only its owner and group can read, found "open.key" with mode 0644
                    chmod o= the file, or mount it with mode 0440
                """)
    }

    @Test func `a key beside certificates is refused`() {
        #expect(
            refusal(
                of: Sample.listener("tls: { certificates: [{ certificate: tls.crt, key: tls.key }], key: tls.key }"))
                    == """
                    gateway.yaml:1:134: listeners[0].tls.key: expected a key inside each of the certificates, found a key beside them
                        move it into its element of certificates
                    """)
    }

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
