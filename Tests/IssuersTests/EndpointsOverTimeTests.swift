import HTTPMessage
import Issuers
import OAuth
import TestSupport
import TestTraits
import Testing

/// An issuer whose keys the operator configured and whose endpoints are read from its metadata.
private func settings(
    discovery: IssuerSettings.Discovery = .openIDConnect, keys: IssuerSettings.Keys = .url(World.keysURL),
    readsEndpoints: Bool = false, introspection: IntrospectionSettings? = IntrospectionSettings(client: 0)
) -> IssuerSettings {
    var settings = World.settings(discovery: discovery, keys: keys)
    settings.readsEndpoints = readsEndpoints
    settings.introspection = introspection
    return settings
}

extension World {
    fileprivate func answerEndpoint(_ url: String, maxAge: Int? = nil) {
        let text = "{\"issuer\":\"\(World.issuer)\",\"introspection_endpoint\":\"\(url)\"}"
        fetcher.answer(
            World.metadataURL,
            with: .success(
                FetchResponse(
                    status: 200, contentType: "application/json", maxAgeSeconds: maxAge, body: Array(text.utf8))))
    }

    fileprivate var endpoint: String? { directory.metadata(of: 0)?.introspection.url }
}

@Suite struct `the endpoints of an issuer` {
    @Test(.holds("MD-07")) func `come from the document that its keys are found by`() {
        let world = World(settings(keys: .discovered))
        #expect(world.directory.metadata(of: 0) == nil)
        world.start()
        #expect(world.fetcher.takeURLs() == [World.metadataURL, World.keysURL])
        #expect(world.directory.metadata(of: 0)?.jwksURI == World.keysURL)
    }

    @Test(
        .holds("MD-07"),
        arguments: [
            IssuerSettings.Keys.url(World.keysURL), .document(Array(SigningKey.keySet([.p256]).utf8)),
        ])
    func `are read also where the keys come from elsewhere`(keys: IssuerSettings.Keys) {
        let world = World(settings(keys: keys))
        world.answerEndpoint("https://id.example.com/i")
        world.start()
        #expect(world.endpoint == "https://id.example.com/i")
        #expect(world.status.readiness == .ready)
        #expect(world.takeEvents().contains(.metadataAccepted(jwksURI: "")))
    }

    @Test func `are read for a client that needs them without introspection`() {
        let world = World(settings(readsEndpoints: true, introspection: nil))
        world.answerEndpoint("https://id.example.com/i")
        world.start()
        #expect(world.endpoint == "https://id.example.com/i")
    }

    @Test func `are not read where nothing needs them or the operator wants no discovery`() {
        let unneeded: [IssuerSettings] = [
            settings(introspection: nil), settings(introspection: .init(client: 0, endpoint: "https://a.example/i")),
            settings(discovery: .none), settings(discovery: .none, readsEndpoints: true),
        ]
        for settings in unneeded {
            let world = World(settings)
            world.start()
            #expect(world.fetcher.takeURLs() == [World.keysURL])
            #expect(world.directory.metadata(of: 0) == nil)
        }
    }

    @Test(.holds("MD-05")) func `are read again within the hour, sooner where the server says so`() {
        let world = World(settings(keys: .document(Array(SigningKey.keySet([.p256]).utf8))))
        world.answerEndpoint("https://id.example.com/i", maxAge: 120)
        world.start()
        world.answerEndpoint("https://id.example.com/j")
        world.pass(seconds: 119)
        #expect(world.endpoint == "https://id.example.com/i")
        world.pass(seconds: 2)
        #expect(world.endpoint == "https://id.example.com/j")
        _ = world.fetcher.takeURLs()
        world.pass(seconds: 3601)
        #expect(world.fetcher.takeURLs() == [World.metadataURL])
    }

    @Test(.refuses("MD-05")) func `that cannot be read again stay in use for a day and no longer`() {
        let world = World(settings(keys: .document(Array(SigningKey.keySet([.p256]).utf8))))
        world.answerEndpoint("https://id.example.com/i")
        world.start()
        world.fail(World.metadataURL)
        _ = world.takeEvents()
        world.pass(seconds: 3602)
        #expect(world.takeEvents() == [.metadataKept(.fetch(.timedOut))])
        world.pass(seconds: 22 * 3600)
        #expect(world.endpoint == "https://id.example.com/i")
        world.pass(seconds: 2 * 3600)
        #expect(world.endpoint == nil)
        world.answerEndpoint("https://id.example.com/j")
        world.pass(seconds: 61)
        #expect(world.endpoint == "https://id.example.com/j")
    }

    @Test func `that were never read are asked for again after 1, 2, 4 … 60 seconds`() {
        let world = World(settings(keys: .document(Array(SigningKey.keySet([.p256]).utf8))))
        world.fail(World.metadataURL)
        world.start()
        world.pass(seconds: 200)
        let waits = world.takeEvents().compactMap { event in
            if case .refreshFailed(_, let seconds) = event { seconds } else { nil as Int? }
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    }

    @Test(.refuses("MD-03")) func `in a document of another issuer are not believed`() {
        let world = World(settings(keys: .document(Array(SigningKey.keySet([.p256]).utf8))))
        world.answerMetadata(issuer: "https://evil.example")
        world.start()
        #expect(world.directory.metadata(of: 0) == nil)
    }
}
