import Crypto
import Gateway
import TestTraits
import Testing

/// A configuration whose only route goes to this upstream, in flow style.
private func upstream(_ text: String) -> String {
    Sample(routes: "routes: [{ path: /, public: true, upstream: \(text) }]").text
}

@Suite struct `an upstream` {
    private func read(_ text: String) throws -> UpstreamSettings { try settings(of: upstream(text)).routes[0].upstream }

    @Test func `is a URL, a Unix socket, or several servers`() throws {
        #expect(try read("http://a.test").servers == [.address(host: "a.test", port: 80)])
        #expect(try read("unix:/run/app.sock").servers == [.unixSocket(path: "/run/app.sock")])
        #expect(try read("{ url: unix:/run/app.sock }").servers == [.unixSocket(path: "/run/app.sock")])
        let several = try read("{ url: [http://10.0.0.1:1, 'http://[::1]:2', unix:/run/app.sock] }")
        #expect(
            several.servers
                == [
                    .address(host: "10.0.0.1", port: 1), .address(host: "::1", port: 2),
                    .unixSocket(path: "/run/app.sock"),
                ])
        #expect(several.name == "10.0.0.1:1,[::1]:2,unix:/run/app.sock")
    }

    @Test func `is shown a certificate, and spoken to as securely as it is said`() throws {
        let plain = try read("https://a.test")
        #expect(plain.clientCertificate == nil && plain.minimumVersion == .tls12)
        let known = try read(
            "{ url: https://a.test, client_certificate: tls.crt, client_key: { file: tls.key }, minimum_version: \"1.3\" }"
        )
        #expect(known.clientCertificate == .init(certificateFile: "tls.crt", keyFile: "tls.key"))
        #expect(known.minimumVersion == .tls13)
    }

    @Test(arguments: [
        (
            "{ url: https://a.test, client_certificate: tls.crt }",
            """
            routes[0].upstream.client_certificate: expected client_key beside client_certificate, found nothing
                add  client_key: { file: /run/secrets/gateway.key }
            """
        ),
        (
            "{ url: https://a.test, client_key: { file: tls.key } }",
            """
            routes[0].upstream.client_key: expected client_certificate beside client_key, found nothing
                add  client_certificate: /run/secrets/gateway.crt
            """
        ),
        (
            "{ url: https://a.test, client_certificate: tls.crt, client_key: { file: open.key } }",
            """
            routes[0].upstream.client_key.file: expected a private key that only its owner and group can read, found "open.key" with mode 0644
                chmod o= the file, or mount it with mode 0440
            """
        ),
        (
            "{ url: http://a.test, client_certificate: tls.crt, client_key: { file: tls.key } }",
            """
            routes[0].upstream.client_certificate: expected an https upstream, found "http://a.test"
                write https, or leave client_certificate out
            """
        ),
        (
            "{ url: unix:/run/app.sock, minimum_version: \"1.3\" }",
            """
            routes[0].upstream.minimum_version: expected an https upstream, found "unix:/run/app.sock"
                write https, or leave minimum_version out
            """
        ),
        (
            "{ url: [https://a.test, http://b.test] }",
            """
            routes[0].upstream.url[1]: expected all servers with TLS, or all without, found "http://b.test" beside "https://a.test"
                write https for all of them
            """
        ),
        (
            "{ url: [http://a.test, http://a.test] }",
            """
            routes[0].upstream.url[1]: expected each value once, found "http://a.test" again
                keep one of them
            """
        ),
        (
            "{ url: [http://a.test, http://127.0.0.1:8443] }",
            """
            routes[0].upstream.url[1]: expected an upstream other than this gateway, found "http://127.0.0.1:8443", its own listener 127.0.0.1:8443
                write the address of the server behind the gateway
            """
        ),
        (
            "unix:app.sock",
            """
            routes[0].upstream: expected a URL such as http://127.0.0.1:3001, found "unix:app.sock"
                write the socket's absolute path: unix:/run/app.sock
            """
        ),
    ])
    func `that does not make sense is refused`(text: String, expected: String) {
        let found = refusal(of: upstream(text))
        #expect(found.contains(expected.split(separator: "\n")[0]), "\(found)")
        #expect(found.contains(expected.split(separator: "\n")[1]), "\(found)")
    }

    @Test(.refuses("HTTP-51")) func `that is an own Unix socket is refused`() {
        let text = Sample(
            listeners: "listeners: [{ address: unix:/run/web.sock, public_url: http://a.example }]",
            routes: "routes: [{ path: /, public: true, upstream: unix:/run/web.sock }]"
        ).text
        #expect(refusal(of: text).contains("an upstream other than this gateway, found \"unix:/run/web.sock\""))
    }
}

@Suite struct `a listener at a Unix socket` {
    private func listener(_ keys: String) -> String {
        Sample(listeners: "listeners: [{ address: unix:/run/web.sock, public_url: http://a.example\(keys) }]").text
    }

    @Test func `is for owner and group unless mode says otherwise`() throws {
        let plain = try settings(of: listener("")).listeners[0].address
        #expect(plain == SocketAddressSettings(unixPath: "/run/web.sock", permissions: 0o660))
        for mode in ["\"0600\"", "\"600\""] {
            #expect(try settings(of: listener(", mode: \(mode)")).listeners[0].address.permissions == 0o600)
        }
        #expect(try warnings(of: listener("")) == "")
    }

    @Test func `may stand among trusted terminators`() throws {
        let read = try settings(of: listener(", client_cert_from: [unix, 10.0.0.0/8]")).listeners[0]
        #expect(read.clientCertFieldFrom == ["unix", "10.0.0.0/8"])
    }

    @Test(arguments: ["\"0999\"", "\"rw\"", "\"01660\"", "\"1660\"", "\"+66\""])
    func `with other permissions is refused`(mode: String) {
        #expect(
            refusal(of: listener(", mode: \(mode)")).contains("listeners[0].mode: expected permissions such as 0660"))
    }

    @Test func `with a path that is too long is refused`() {
        let path = "unix:/" + String(repeating: "a", count: 107)
        let text = Sample(listeners: "listeners: [{ address: \(path), public_url: http://a.example }]").text
        #expect(refusal(of: text).contains("choose a path of at most 107 bytes"))
    }

    @Test func `and no IP address has permissions`() {
        let found = refusal(of: Sample.listener("mode: \"0600\""))
        #expect(found.contains("leave mode out: an IP address has no permissions"), "\(found)")
    }

    @Test func `is refused twice at one path`() {
        let one = "{ address: unix:/run/web.sock, public_url: http://a.example }"
        let other = "{ address: unix:/run/web.sock, public_url: http://b.example }"
        let found = refusal(of: Sample(listeners: "listeners: [\(one), \(other)]").text)
        #expect(found.contains("expected an address of its own, found unix:/run/web.sock"), "\(found)")
    }
}

@Suite struct `keys of session tickets` {
    @Test func `are read in order`() throws {
        let text = Sample.listener(
            "tls: { certificate: tls.crt, key: tls.key, ticket_keys: [{ file: other.secret }, { file: long.secret }] }")
        let keys = try settings(of: text).listeners[0].tls?.ticketKeys.map { $0.reveal() }
        #expect(keys?.map(\.count) == [40, 32])
    }

    @Test func `that are short are refused`() {
        let found = refusal(
            of: Sample.listener("tls: { certificate: tls.crt, key: tls.key, ticket_keys: [{ file: short.secret }] }"))
        #expect(found.contains("expected a ticket key of at least 32 bytes, found 31 bytes"), "\(found)")
    }

    @Test func `that everybody can read are refused`() {
        let found = refusal(
            of: Sample.listener("tls: { certificate: tls.crt, key: tls.key, ticket_keys: [{ file: open.secret }] }"))
        #expect(found.contains("a ticket key that only its owner and group can read"), "\(found)")
    }
}
