import HTTPMessage
import Issuers
import JOSE
import OAuth
import TestSupport
import TestTraits
import Testing

@Suite struct `what an issuer is asked` {
    @Test(.refuses("MD-06", "MD-08")) func `is bounded, guarded, and trusts the configured authorities only`() throws {
        var settings = World.settings()
        settings.certificateAuthorityFile = "/etc/authorities.pem"
        settings.allowPrivate = ["10.0.0.0/8"]
        let world = World(settings)
        world.start()
        let requests = world.fetcher.requests
        #expect(requests.count == 2)
        for request in requests {
            #expect(request.method == .get)
            #expect(request.body == nil)
            #expect(request.headers.isEmpty)
            #expect(request.maximumBytes == 256 * 1024)
            #expect((1000...30_000).contains(request.timeoutMilliseconds))
            #expect(request.certificateAuthorityFile == "/etc/authorities.pem")
            #expect(request.allowPrivate == ["10.0.0.0/8"])
            #expect(request.allowLoopbackAndPrivateHost == "id.example.com")
            #expect(!request.insecureAllowHTTP)
        }
    }

    @Test(.holds("MD-08")) func `the host of a document from outside stays guarded`() {
        let world = World()
        world.answerMetadata(keysURL: "https://169.254.169.254/keys")
        world.start()
        #expect(world.fetcher.requests.last?.url == "https://169.254.169.254/keys")
        #expect(world.fetcher.requests.last?.allowLoopbackAndPrivateHost == "id.example.com")
    }

    @Test(.holds("MD-08")) func `the host of a key set that the operator wrote is his own`() {
        let url = "https://10.1.2.3:9443/keys"
        let world = World(World.settings(keys: .url(url)))
        world.answerKeys([.rsa], at: url)
        world.start()
        #expect(world.fetcher.requests.map(\.allowLoopbackAndPrivateHost) == ["10.1.2.3"])
        #expect(world.status.readiness == .ready)
    }

    @Test(.refuses("MD-08"), arguments: [8443, 22, 80, 6379] as [UInt16])
    func `a port that metadata names is refused without a request`(port: UInt16) {
        let world = World()
        let url = "https://other.example.com:\(port)/keys"
        world.answerMetadata(keysURL: url)
        world.start()
        #expect(world.fetcher.takeURLs() == [World.metadataURL])
        #expect(world.status.lastRefusal == .portNotAllowed(url))
    }

    @Test(.holds("MD-08")) func `a port of another host is gone to where the operator named it`() {
        var settings = World.settings()
        settings.allowPorts = [8444]
        let world = World(settings)
        world.answerMetadata(keysURL: "https://other.example.com:8444/keys")
        world.answerKeys([.rsa], at: "https://other.example.com:8444/keys")
        world.start()
        #expect(world.status.readiness == .ready)
        #expect(world.fetcher.requests.last?.allowLoopbackAndPrivateHost == "id.example.com")
    }

    @Test(
        .refuses("MD-08"),
        arguments: [
            "https://id.example.com:443/keys", "https://other.example.net/keys", "https://id.example.com:9443/k",
            "https://other.example.net:9443/k", "https://id.example.com:8444/keys",
        ])
    func `port 443, the issuer's own port and any of its own host are fine`(keysURL: String) {
        let issuer = "https://id.example.com:9443/t"
        let world = World(World.settings(url: issuer))
        world.answerMetadata(at: issuer + "/.well-known/openid-configuration", issuer: issuer, keysURL: keysURL)
        world.answerKeys([.rsa], at: keysURL)
        world.start()
        #expect(world.status.readiness == .ready)
    }

    @Test(
        .refuses("MD-04", "MD-06"),
        arguments: ["http://id.example.com/keys", "file:///etc/passwd", "https://", "https://a@b/"])
    func `a location that is not https is not gone to`(keysURL: String) {
        let world = World()
        world.answerMetadata(keysURL: keysURL)
        world.start()
        #expect(world.fetcher.takeURLs() == [World.metadataURL])
        #expect(world.status.readiness == .failed)
    }

    @Test(.refuses("MD-01"), arguments: ["http://id.example.com/t", "https://id.example.com/t?x", "nonsense"])
    func `an issuer that is no https URL is never asked`(issuer: String) {
        let world = World(World.settings(url: issuer))
        world.start()
        #expect(world.fetcher.takeURLs().isEmpty)
        #expect(world.status.lastRefusal?.word == "issuer_identifier_invalid")
    }

    @Test(.holds("MD-01")) func `an issuer on http is asked where the operator allowed it by name`() {
        let issuer = "http://127.0.0.1:4593/api"
        var settings = World.settings(url: issuer)
        settings.insecureAllowHTTP = true
        let world = World(settings)
        world.answerMetadata(
            at: issuer + "/.well-known/openid-configuration", issuer: issuer, keysURL: "http://127.0.0.1:4593/jwks")
        world.answerKeys([.rsa], at: "http://127.0.0.1:4593/jwks")
        world.start()
        #expect(world.status.readiness == .ready)
        #expect(world.fetcher.requests.allSatisfy { $0.insecureAllowHTTP })
    }

    @Test func `every reason has a word of its own kind`() {
        let words: [(IssuerRefusal, String)] = [
            (.fetch(.unresolved), "name_not_resolved"), (.fetch(.refusedAddress("10.0.0.1")), "address_refused"),
            (.fetch(.connectFailed("")), "connect_failed"), (.fetch(.tlsFailed("")), "tls_failed"),
            (.fetch(.timedOut), "timed_out"), (.fetch(.tooLarge), "answer_too_large"),
            (.fetch(.fieldsTooLarge), "answer_fields_too_large"),
            (.fetch(.protocolNotAllowed), "protocol_not_allowed"), (.fetch(.redirected), "redirected"),
            (.fetch(.cancelled), "cancelled"), (.fetch(.unanswered), "unanswered"),
            (.fetch(.failed("")), "fetch_failed"),
            (.metadata(.status(404)), "metadata_status"), (.metadata(.contentType("")), "metadata_content_type"),
            (.metadata(.tooLarge(bytes: 1)), "metadata_too_large"), (.metadata(.notAnObject), "metadata_not_json"),
            (.metadata(.issuerMissing), "metadata_issuer_mismatch"),
            (.metadata(.keySetLocationMissing), "metadata_without_jwks_uri"),
            (.metadata(.endpointNotHTTPS(member: "")), "metadata_endpoint_invalid"),
            (.metadata(.issuerNotURL), "issuer_identifier_invalid"), (.keySetStatus(500), "key_set_status"),
            (.keySet(.keySetWithoutKeys), "key_set_invalid"),
            (.noUsableKeys(ignored: 1), "key_set_without_usable_keys"),
            (.locationNotURL, "key_set_location_invalid"),
            (.portNotAllowed("https://a.example:22/"), "port_not_allowed"),
        ]
        for (refusal, word) in words { #expect(refusal.word == word) }
        #expect(Set(words.map(\.1)).count == words.count)
    }
}
