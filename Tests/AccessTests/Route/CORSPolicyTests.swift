import Bytes
import TestTraits
import Testing

@testable import Access

@Suite struct `what a route says to pages of other origins` {
    private func policy(_ settings: CORSSettings, isPublic: Bool = false) -> CORSPolicy {
        CORSPolicy(settings, routeMethods: MethodSet(["GET", "POST"]), isPublic: isPublic)
    }

    private func lines(_ settings: CORSSettings, _ place: Int? = nil) -> [String] {
        let policy = policy(settings)
        return String(copying: policy.lines(forPlace: place)).split(separator: "\r\n").map(String.init)
    }

    private func place(_ origin: String, _ origins: [String]) -> Int? {
        policy(.rules(CORSRules(origins: origins))).place(of: Array(origin.utf8).span)
    }

    @Test(.holds("HTTP-71", "HTTP-72")) func `names the one origin that asked, and lets it read challenges and nonces`()
    {
        let rules = CORSRules(origins: ["https://a.example", "https://b.example"], exposedFields: ["X-Total"])
        #expect(
            lines(.rules(rules), 1) == [
                "Access-Control-Allow-Origin: https://b.example",
                "Access-Control-Expose-Headers: WWW-Authenticate, DPoP-Nonce, X-Total", "Vary: Origin",
            ])
    }

    @Test(.refuses("HTTP-71")) func `says nothing to anyone else but that the answer depends on who asks`() {
        // Without Vary a cache would give a listed page what an unlisted one was told, and the other way round.
        #expect(lines(.rules(CORSRules(origins: ["https://a.example"], credentials: true))) == ["Vary: Origin"])
    }

    @Test(.holds("SC-09"), .refuses("SC-09")) func `lets sessions be used by listed origins alone`() {
        let allowed = "Access-Control-Allow-Credentials: true"
        let rules = CORSRules(origins: ["https://a.example"], credentials: true)
        #expect(lines(.rules(rules), 0).contains(allowed))
        #expect(!lines(.rules(rules)).contains(allowed))
        #expect(!lines(.rules(CORSRules(origins: ["https://a.example"])), 0).contains(allowed))
        #expect(!lines(.rules(CORSRules(origins: nil))).contains(allowed))
    }

    @Test(.holds("HTTP-71")) func `is the same for every origin where all are served, and needs no Vary`() {
        let said = lines(.rules(CORSRules(origins: nil)))
        #expect(said.first == "Access-Control-Allow-Origin: *")
        #expect(!said.contains { $0.hasPrefix("Vary") })
        let policy = policy(.rules(CORSRules(origins: nil)))
        let isForAnyone = policy.isForAnyone
        #expect(isForAnyone)
    }

    @Test(.refuses("HTTP-71")) func `has no lines of its own where it has no rules`() {
        #expect(lines(.refused).isEmpty)
        #expect(lines(.upstream).isEmpty)
    }

    @Test(
        .refuses("HTTP-71"),
        arguments: [
            "https://a.example/", "https://A.example", "http://a.example", "https://a.example:443", "https://a.exampl",
            "https://a.example.evil.test", "null", "", "*", " https://a.example",
        ])
    func `knows an origin only as it is written in the list`(origin: String) {
        #expect(place(origin, ["https://a.example"]) == nil)
    }

    @Test(.holds("HTTP-71")) func `knows each origin of the list by its place`() {
        let origins = ["https://a.example", "http://localhost:3000", "https://b.example"]
        for (index, origin) in origins.enumerated() { #expect(place(origin, origins) == index) }
    }

    @Test(
        .holds("HTTP-72"), .refuses("HTTP-72"),
        arguments: [
            (.refused, false, true), (.refused, true, false), (.upstream, false, false), (.upstream, true, false),
            (.rules(CORSRules(origins: [])), false, true), (.rules(CORSRules(origins: nil)), true, true),
        ] as [(CORSSettings, Bool, Bool)])
    func `goes before what the upstream says, unless it is the upstream's to say`(
        settings: CORSSettings, isPublic: Bool, isRemoved: Bool
    ) {
        // A public route without rules keeps what its upstream allows: nobody's credentials are at stake.
        let policy = policy(settings, isPublic: isPublic)
        let removes = policy.removesUpstreamFields
        #expect(removes == isRemoved)
    }

    @Test(.holds("HTTP-71")) func `lets through the methods that it names, or else the route's`() {
        func allow(_ settings: CORSSettings) -> String {
            let policy = policy(settings)
            return policy.methods.allow
        }
        #expect(allow(.rules(CORSRules(origins: nil, methods: ["PUT"]))) == "PUT")
        #expect(allow(.rules(CORSRules(origins: nil))) == "GET, POST")
        #expect(allow(.upstream) == "GET, POST")
    }

    @Test(.holds("HTTP-71"), .refuses("HTTP-71")) func `answers a refused preflight only where it has rules`() {
        let ruled = policy(.rules(CORSRules(origins: ["https://a.example"])))
        let refused = policy(.refused)
        let lines = [ruled.refusedLines, refused.refusedLines]
        #expect(lines == [.anyone, .none])
    }

    @Test func `tells the operator which pages it serves`() {
        #expect(CORSSettings.refused.words == "no page elsewhere: the route has no cors")
        #expect(CORSSettings.upstream.words == "what the upstream allows")
        #expect(CORSSettings.rules(CORSRules(origins: nil)).words == "any")
        #expect(
            CORSSettings.rules(CORSRules(origins: ["https://a.example", "https://b.example"])).words
                == "one of cors.origins: https://a.example, https://b.example")
    }
}

@Suite struct `a method of another page's script` {
    private func allows(_ names: [String]?, _ name: String) -> Bool {
        let set = MethodSet(names)
        let bytes = Array(name.utf8)
        return set.allowsScript(MethodSet.id(of: bytes.span), named: bytes.span)
    }

    @Test(.holds("HTTP-71"), arguments: ["GET", "PROPFIND"]) func `passes where the list has it`(name: String) {
        #expect(allows(["GET", "PROPFIND"], name))
    }

    @Test(.refuses("HTTP-71"), arguments: ["POST", "propfind", "get", "PROPFINDS", "", "TRACE", "CONNECT", "TRACK"])
    func `is stopped where the list does not have it, letter for letter`(name: String) {
        #expect(!allows(["GET", "PROPFIND", "TRACE", "CONNECT", "TRACK"], name))
    }

    @Test(.holds("HTTP-71"), .refuses("HTTP-18")) func `is any but three where no list is said`() {
        for name in ["GET", "DELETE", "PROPFIND"] { #expect(allows(nil, name), "\(name)") }
        for name in ["TRACE", "CONNECT", "TRACK"] { #expect(!allows(nil, name), "\(name)") }
    }
}
