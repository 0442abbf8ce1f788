import Crypto
import JOSE
import JSON
import OAuth
import TestSupport
import TestTraits
import Testing

private typealias Given = Authenticating

@Suite struct `credentials of a client` {
    private func refusal(
        _ method: ClientCredentials.Method, clientID: String = "rs", lifetime: Int = 60
    ) -> ClientCredentialsRefusal? {
        do throws(ClientCredentialsRefusal) {
            _ = try ClientCredentials(clientID: clientID, method: method, assertionLifetime: .seconds(lifetime))
            return nil
        } catch {
            return error
        }
    }

    @Test(.holds("CA-01", "CA-14"))
    func `are for one method each, named as metadata names it, and for none without proof`() throws {
        let names = try Given.methods().map(\.name)
        #expect(
            names == [
                "client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt",
                "tls_client_auth", "self_signed_tls_client_auth",
            ])
        #expect(try Given.methods().map(\.usesCertificate) == [false, false, false, false, true, true])
        for method in try Given.methods() { #expect(refusal(method) == nil) }
    }

    @Test(.holds("CA-01"), .refuses("CA-01"))
    func `are refused by a server that offers other methods, stronger or weaker`() throws {
        for method in try Given.methods() {
            let credentials = try ClientCredentials(clientID: "rs", method: method)
            let others = try Given.methods().map(\.name).filter { $0 != method.name } + ["none"]
            #expect(throws: ClientMethodRefusal.methodNotOffered(method.name)) {
                try credentials.check(methods: others, algorithms: nil)
            }
            #expect(throws: ClientMethodRefusal.methodNotOffered(method.name)) {
                try credentials.check(methods: [], algorithms: nil)
            }
            try credentials.check(methods: others + [method.name], algorithms: nil)
            try credentials.check(methods: nil, algorithms: nil)
        }
    }

    @Test(.holds("CA-05"), .refuses("CA-05")) func `are refused by a server that takes assertions by other algorithms`()
        throws
    {
        let byKey = try ClientCredentials(clientID: "rs", method: .privateKeyJWT(Given.key(.rsa, .ps256)))
        try byKey.check(methods: ["private_key_jwt"], algorithms: ["RS256", "PS256"])
        #expect(throws: ClientMethodRefusal.algorithmNotOffered("PS256")) {
            try byKey.check(methods: ["private_key_jwt"], algorithms: ["RS256", "ps256", "HS256"])
        }
        let bySecret = try ClientCredentials(clientID: "rs", method: .secretJWT(.hs256, Given.secret(Given.secret)))
        #expect(throws: ClientMethodRefusal.algorithmNotOffered("HS256")) {
            try bySecret.check(methods: nil, algorithms: ["PS256"])
        }
        let plain = try ClientCredentials(clientID: "rs", method: .secretBasic(Given.secret("s")))
        try plain.check(methods: nil, algorithms: ["PS256"])
    }

    @Test(.holds("CA-04"), .refuses("CA-04"), arguments: [(MACAlgorithm.hs256, 32), (.hs384, 48), (.hs512, 64)])
    func `are refused when the secret is shorter than the hash`(algorithm: MACAlgorithm, length: Int) {
        let long = Secret([UInt8](repeating: 7, count: length)),
            short = Secret([UInt8](repeating: 7, count: length - 1))
        #expect(refusal(.secretJWT(algorithm, long)) == nil)
        #expect(refusal(.secretJWT(algorithm, short)) == .secretTooShort(algorithm))
    }

    @Test func `are refused without an identifier, a secret or a file`() {
        for clientID in ["", "a\nb", "a\u{0}", "a\u{7F}"] {
            #expect(refusal(.secretBasic(Given.secret("s")), clientID: clientID) == .clientIDInvalid)
        }
        #expect(refusal(.secretBasic(Given.secret(""))) == .secretEmpty)
        #expect(refusal(.secretPost(Given.secret(""))) == .secretEmpty)
        #expect(refusal(.tls(certificateFile: "", keyFile: "k")) == .fileMissing)
        #expect(refusal(.selfSignedTLS(certificateFile: "c", keyFile: "")) == .fileMissing)
    }

    @Test(
        .holds("CA-07"), .refuses("CA-07"),
        arguments: [(0, false), (1, true), (60, true), (61, false), (-1, false), (Int.max, false)])
    func `live a minute at most`(lifetime: Int, isAllowed: Bool) {
        #expect(refusal(.secretBasic(Given.secret("s")), lifetime: lifetime) == (isAllowed ? nil : .lifetimeNotAllowed))
    }

    @Test(.refuses("CA-17")) func `print no secret, however they are looked at`() throws {
        for method in try Given.methods() {
            let credentials = try ClientCredentials(clientID: "rs", method: method)
            let form = try credentials.ask()
            var dumped = "\(credentials) \(form) \(String(reflecting: credentials)) \(String(reflecting: form))"
            dump(credentials, to: &dumped)
            dump(form, to: &dumped)
            #expect(!dumped.contains(Given.secret) && !dumped.contains("MDEyMzQ1Njc4"), "\(method.name)")
            #expect(!dumped.contains("eyJhbGciOi") && !dumped.contains("Basic "), "\(method.name)")
        }
    }
}

@Suite struct `an authenticated form` {
    @Test(.holds("CA-01"), .refuses("CA-01")) func `carries one method's parts and no other's`() throws {
        for method in try Given.methods() {
            let form = try ClientCredentials(clientID: "rs", method: method).ask()
            let names = form.parameters.map(\.name)
            #expect(form.header("Content-Type") == ["application/x-www-form-urlencoded"])
            #expect(form.values("token") == ["t"])
            let isBasic = method.name == "client_secret_basic"
            #expect(form.header("Authorization").count == (isBasic ? 1 : 0))
            #expect(form.headers.count == (isBasic ? 2 : 1))
            #expect((form.certificateFile != nil) == method.usesCertificate)
            #expect((form.keyFile != nil) == method.usesCertificate)
            let expected: [String] =
                switch method {
                case .secretBasic: ["token"]
                case .secretPost: ["token", "client_id", "client_secret"]
                case .secretJWT, .privateKeyJWT: ["token", "client_id", "client_assertion_type", "client_assertion"]
                case .tls, .selfSignedTLS, .publicClient: ["token", "client_id"]
                }
            #expect(names == expected)
        }
    }

    @Test(.holds("CA-14")) func `of a public client has its identifier, and proves nothing`() throws {
        let client = try ClientCredentials(clientID: "app", method: .publicClient)
        let form = try client.ask([("grant_type", "authorization_code"), ("code", "c")])
        #expect(form.parameters.map(\.name) == ["grant_type", "code", "client_id"])
        #expect(form.values("client_id") == ["app"])
        #expect(form.header("Authorization").isEmpty && form.certificateFile == nil)
        #expect(throws: ClientAuthenticationRefusal.parameterReserved("client_secret")) {
            try client.ask([("client_secret", "x")])
        }
        // Servers that take public clients list what proves something.
        try client.check(methods: ["client_secret_basic"], algorithms: nil)
        #expect(client.method.name == "none" && !client.method.usesCertificate)
    }

    @Test(
        .holds("CA-02"),
        arguments: [
            // RFC 6749 §4.1.3 and §2.3.1.
            ("s6BhdRkqt3", "gX1fBat3bV", "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW"),
            ("s6BhdRkqt3", "7Fjfp0ZBr1KtDRbnfVdmIw", "Basic czZCaGRSa3F0Mzo3RmpmcDBaQnIxS3REUmJuZlZkbUl3"),
            ("a:b", "p%/ü", "Basic YSUzQWI6cCUyNSUyRiVDMyVCQw=="),
            // RFC 6749 appendix B: " %&+£€" is "+%25%26%2B%C2%A3%E2%82%AC".
            ("c", " %&+£€", "Basic YzorJTI1JTI2JTJCJUMyJUEzJUUyJTgyJUFD"),
        ])
    func `encodes identifier and secret each before it joins them`(
        clientID: String, secret: String, expected: String
    ) throws {
        let credentials = try ClientCredentials(clientID: clientID, method: .secretBasic(Given.secret(secret)))
        #expect(try credentials.ask().header("Authorization") == [expected])
    }

    @Test(.refuses("CA-02")) func `tells apart two pairs that only a colon would make one`() throws {
        let one = try ClientCredentials(clientID: "a:b", method: .secretBasic(Given.secret("c"))).ask()
        let other = try ClientCredentials(clientID: "a", method: .secretBasic(Given.secret("b:c"))).ask()
        #expect(one.header("Authorization") != other.header("Authorization"))
        #expect(!String(decoding: one.body, as: UTF8.self).contains("a"))
    }

    @Test(.holds("CA-03"), .refuses("CA-03")) func `has identifier and secret in the body alone`() throws {
        let form = try ClientCredentials(clientID: "a&b", method: .secretPost(Given.secret("s=1&token=x"))).ask()
        #expect(form.values("client_id") == ["a&b"])
        #expect(form.values("client_secret") == ["s=1&token=x"])
        #expect(form.values("token") == ["t"])
        #expect(form.header("Authorization").isEmpty)
    }

    @Test(.holds("CA-12")) func `names the client, and the certificate to present`() throws {
        for method in try Given.methods().suffix(2) {
            let form = try ClientCredentials(clientID: "rs", method: method).ask()
            #expect(form.values("client_id") == ["rs"])
            #expect(form.certificateFile == "/c.pem")
            #expect(form.keyFile == "/k.pem")
        }
    }

    @Test(
        .holds("TX-01", "CA-03"), .refuses("TX-01", "CA-03"),
        arguments: [
            "a&x=y", "a=b", "a%26x%3Dy", "a+b c", "a;x=y", "a\r\nX: y", "a\u{0}b", "ü€𝄞", "", "&", "=", "%", "a#b?c/d",
        ])
    func `has the parameters it was given, whatever they hold, and no more`(value: String) throws {
        for method in try Given.methods() {
            let credentials = try ClientCredentials(clientID: "rs", method: method)
            let form = try credentials.ask([("subject_token", value), (value, "v"), ("last", "1")])
            let found = form.parameters
            #expect(found.prefix(3).map(\.name) == ["subject_token", value, "last"])
            #expect(found.prefix(3).map(\.value) == [value, "v", "1"])
            #expect(form.values("x").isEmpty)
            #expect(form.body.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        }
    }

    @Test(.refuses("CA-09"), arguments: ["client_id", "client_secret", "client_assertion", "client_assertion_type"])
    func `is refused when it would carry a second identifier, secret or assertion`(name: String) throws {
        for method in try Given.methods() {
            let credentials = try ClientCredentials(clientID: "rs", method: method)
            #expect(throws: ClientAuthenticationRefusal.parameterReserved(name)) {
                try credentials.ask([("token", "t"), (name, "x")])
            }
        }
    }
}
