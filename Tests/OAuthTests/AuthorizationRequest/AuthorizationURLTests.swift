import Bytes
import Crypto
import JSON
import OAuth
import TestSupport
import TestTraits
import Testing

private typealias Given = Requesting

/// What somebody would write into a value to add a parameter of their own.
private let intrusions = [
    "urn:x&redirect_uri=https://evil.example", "urn:x#f", "urn:x?client_id=evil", "urn:x%26a=b", "a=b", "a;b", "a+b c",
    "\"><script>", "\r\nSet-Cookie: a=b", "ü", "%", "&&==",
]

@Suite struct `the URL a browser is sent to` {
    @Test func `has every parameter of a plain request, each with its value`() throws {
        let parameters = Given.parameters(try Given.everything())
        let url = ReadURL(AuthorizationURL.plain(endpoint: Given.endpoint, parameters))
        #expect(url.beforeQuery == Given.endpoint)
        #expect(url.pairs.map(\.name) == parameters.pairs.map(\.0))
        #expect(url.pairs.map(\.value) == parameters.pairs.map(\.1))
    }

    @Test(.holds("JAR-07")) func `has the client and the object alone`() throws {
        let parameters = Given.parameters(try Given.everything(form: .signed))
        let object = try Given.object(parameters)
        let url = ReadURL(AuthorizationURL.byValue(endpoint: Given.endpoint, parameters, object: object))
        #expect(url.names == ["client_id", "request"])
        #expect(url.values("client_id") == [Given.clientID])
        #expect(url.values("request") == [String(decoding: object, as: UTF8.self)])
    }

    @Test(.holds("JAR-07")) func `repeats type and scope where that is configured, as the object has them`() throws {
        var settings = try Given.everything(form: .signed)
        settings.repeatsParameters = true
        let parameters = Given.parameters(settings)
        let object = try Given.object(parameters)
        let claims = try Given.open(object).claims
        for text in [
            AuthorizationURL.byValue(endpoint: Given.endpoint, parameters, object: object),
            AuthorizationURL.byReference(
                endpoint: Given.endpoint, parameters, requestURI: "https://shop.example/r/1", object: object),
        ] {
            let url = ReadURL(text)
            #expect(url.names.dropLast() == ["response_type", "client_id", "scope"])
            for name in url.names.dropLast() { #expect(url.values(name) == [claims[name]?.string]) }
        }
    }

    @Test(.refuses("JAR-07")) func `never has the state, the nonce or the challenge of a signed request`() throws {
        for repeats in [false, true] {
            var settings = AuthorizationRequestSettings(form: .signed)
            settings.repeatsParameters = repeats
            let parameters = Given.parameters(settings)
            let object = try Given.object(parameters)
            let url = ReadURL(AuthorizationURL.byValue(endpoint: Given.endpoint, parameters, object: object))
            for name in ["state", "nonce", "code_challenge", "redirect_uri", "response_mode"] {
                #expect(url.values(name).isEmpty)
            }
        }
    }

    @Test(.holds("JAR-24")) func `has the client and the reference alone, as RFC 9101 §5.2.2 shows it`() throws {
        let parameters = Given.parameters(try Given.everything(form: .signedByReference))
        let text = AuthorizationURL.byReference(
            endpoint: "https://server.example.com/authorize", parameters,
            requestURI: "https://tfp.example.org/request.jwt/GkurKxf5T0Y", object: [1])
        #expect(
            text == "https://server.example.com/authorize?client_id=s6BhdRkqt3"
                + "&request_uri=https%3A%2F%2Ftfp.example.org%2Frequest.jwt%2FGkurKxf5T0Y")
    }

    @Test(.holds("JAR-24"), .refuses("JAR-24"), arguments: intrusions)
    func `has no third parameter, whatever the reference is`(reference: String) {
        let text = AuthorizationURL.byReference(
            endpoint: Given.endpoint, Given.parameters(), requestURI: reference, object: [])
        #expect(ReadURL(text).names == ["client_id", "request_uri"])
        #expect(ReadURL(text).values("request_uri") == [reference])
        #expect(!text.contains("#"))
    }

    @Test(.holds("JAR-25")) func `names the object by its hash where that is configured`() throws {
        var settings = AuthorizationRequestSettings(form: .signedByReference)
        settings.hashesRequestURI = true
        let object = Array("an object".utf8)
        let url = ReadURL(
            AuthorizationURL.byReference(
                endpoint: Given.endpoint, Given.parameters(settings), requestURI: "https://shop.example/r/1",
                object: object))
        let reference = try #require(url.values("request_uri").first)
        let sides = reference.split(separator: "#")
        #expect(sides.first == "https://shop.example/r/1")
        // printf 'an object' | openssl dgst -sha256 -binary | basenc --base64url
        #expect(sides.last == "xEsnM59Qfi5MgN2aqdQu90C8i2GecX86pFhi3ieHQok")
    }

    @Test(.refuses("JAR-25")) func `has no fragment unless that is configured`() {
        let text = AuthorizationURL.byReference(
            endpoint: Given.endpoint, Given.parameters(), requestURI: "https://shop.example/r/1", object: [1])
        #expect(!text.contains("#") && !text.contains("%23"))
    }

    @Test(.holds("PAR-04")) func `has the client and the reference alone after a push`() {
        let text = AuthorizationURL.pushed(
            endpoint: Given.endpoint, clientID: Given.clientID,
            requestURI: "urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c")
        #expect(
            text == Given.endpoint + "?client_id=s6BhdRkqt3"
                + "&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3A6esc_11ACC5bwc014ltc14eY22c")
    }

    @Test(.holds("PAR-04"), .refuses("PAR-04"), arguments: intrusions)
    func `has no third parameter, whatever the server calls its reference`(reference: String) {
        let text = AuthorizationURL.pushed(endpoint: Given.endpoint, clientID: Given.clientID, requestURI: reference)
        #expect(ReadURL(text).names == ["client_id", "request_uri"])
        #expect(ReadURL(text).values("request_uri") == [reference])
        #expect(text.utf8.allSatisfy { (0x21...0x7E).contains($0) })
    }

    @Test(
        .holds("PAR-04"), .refuses("PAR-04"),
        arguments: [
            ("https://as.example/a?tenant=1", "https://as.example/a?tenant=1&client_id="),
            ("https://as.example/a?tenant=1&", "https://as.example/a?tenant=1&client_id="),
            ("https://as.example/a?", "https://as.example/a?client_id="),
            ("https://as.example/a", "https://as.example/a?client_id="),
            ("https://as.example", "https://as.example?client_id="),
            ("https://as.example/a?x=1#f", "https://as.example/a?x=1&client_id="),
            ("https://as.example/a#f?x", "https://as.example/a?client_id="),
        ])
    func `keeps the endpoint's own query, and puts nothing behind a fragment`(
        endpoint: String, expected: String
    ) {
        let text = AuthorizationURL.pushed(endpoint: endpoint, clientID: "c", requestURI: "urn:x")
        #expect(text == expected + "c&request_uri=urn%3Ax")
    }
}

@Suite struct `a request that is too long for a URL` {
    private static let pushing = #""pushed_authorization_request_endpoint":"https://tenant.example/par""#

    @Test(.holds("JAR-08")) func `is pushed where the server takes that`() throws {
        let server = try Given.metadata(Self.pushing)
        #expect(AuthorizationRequestSettings.Form.signed.shorter(at: server) == .pushedSigned)
        #expect(AuthorizationRequestSettings.Form.plain.shorter(at: server) == .pushed)
    }

    @Test(.holds("JAR-08")) func `is fetched by the server where it takes no pushed ones`() throws {
        #expect(AuthorizationRequestSettings.Form.signed.shorter(at: try Given.metadata()) == .signedByReference)
        let fetching = try Given.metadata("\"request_uri_parameter_supported\":true")
        #expect(AuthorizationRequestSettings.Form.signed.shorter(at: fetching) == .signedByReference)
    }

    @Test(.refuses("JAR-08")) func `is not made where there is no other way`() throws {
        let neither = try Given.metadata("\"request_uri_parameter_supported\":false")
        #expect(AuthorizationRequestSettings.Form.signed.shorter(at: neither) == nil)
        #expect(AuthorizationRequestSettings.Form.plain.shorter(at: try Given.metadata()) == nil)
    }

    @Test(.refuses("JAR-09")) func `never becomes one that signs less`() throws {
        let server = try Given.metadata(Self.pushing)
        for form in AuthorizationRequestSettings.Form.allCases {
            if let other = form.shorter(at: server) { #expect(other.isSigned == form.isSigned) }
        }
    }

    @Test(.holds("JAR-08")) func `is one whose URL has more than 2000 characters, as 20 KiB of details make it`() throws
    {
        let details = try Given.json("[{\"type\":\"\(String(repeating: "x", count: 20_480))\"}]")
        var settings = AuthorizationRequestSettings(form: .signed)
        settings.authorizationDetails = details
        let long = Given.parameters(settings)
        let url = AuthorizationURL.byValue(endpoint: Given.endpoint, long, object: try Given.object(long))
        #expect(url.utf8.count > AuthorizationURL.maximumCharacters)
        // Nothing was cut off: what is too long is sent in another way.
        let object = try #require(ReadURL(url).values("request").first)
        #expect(try Given.open(Array(object.utf8)).claims["authorization_details"]?.count == 1)
        let short = Given.parameters(AuthorizationRequestSettings(form: .signed))
        let usual = AuthorizationURL.byValue(endpoint: Given.endpoint, short, object: try Given.object(short))
        #expect(usual.utf8.count < AuthorizationURL.maximumCharacters)
    }
}
