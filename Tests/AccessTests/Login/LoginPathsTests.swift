import Bytes
import Login
import OAuth
import TestSupport
import TestTraits
import Testing

@testable import Access

@Suite struct `the paths of logins, by name` {
    private func endpoint(_ path: String, _ names: [String] = ["shop"]) -> LoginRequest.Endpoint? {
        let paths = LoginPaths(names.map { JudgeRig.login($0) })
        return path.withBytes { paths.endpoint($0.span) }
    }

    @Test(.holds("CF-02")) func `are those of each client`() {
        let expected: [String: (Int) -> LoginRequest.Endpoint] = [
            "login": { .start(client: $0) }, "callback": { .callback(client: $0) }, "logout": { .logout(client: $0) },
            "logged-out": { .loggedOut(client: $0) }, "session": { .session(client: $0) },
            "backchannel-logout": { .backchannelLogout(client: $0) },
            "frontchannel-logout": { .frontchannelLogout(client: $0) },
        ]
        for (word, make) in expected {
            for (index, name) in ["shop", "bank"].enumerated() {
                #expect(endpoint("/.portcullis/\(word)/\(name)", ["shop", "bank"]) == make(index))
            }
        }
        #expect(endpoint("/.portcullis/request/abc") == .requestObject(id: "abc"))
    }

    @Test(.holds("CF-02")) func `may leave out the name of the only one, where no server was told of it`() {
        #expect(endpoint("/.portcullis/login") == .start(client: 0))
        #expect(endpoint("/.portcullis/logout") == .logout(client: 0))
        #expect(endpoint("/.portcullis/session") == .session(client: 0))
        for word in ["callback", "logged-out", "backchannel-logout", "frontchannel-logout"] {
            #expect(endpoint("/.portcullis/\(word)") == nil, "\(word)")
        }
        #expect(endpoint("/.portcullis/login", ["shop", "bank"]) == nil)
    }

    @Test(.holds("SC-16"), .refuses("SC-16", "ECO-66"))
    func `are at all hosts of their login, and may leave its name out where it is the only one`() {
        let logins = ["shop", "bank"].map { JudgeRig.login($0) }
        let paths = LoginPaths(logins, hosts: [[1, 2], [2, nil]], listenerCount: 1)
        func client(_ path: String, _ site: Int) -> Int? {
            path.withBytes { paths.endpoint($0.span, site: site)?.client }
        }
        #expect((0...3).map { client("/.portcullis/callback/shop", $0) } == [nil, 0, 0, nil])
        #expect((0...3).map { client("/.portcullis/callback/bank", $0) } == [1, nil, 1, nil])
        #expect((0...3).map { client("/.portcullis/login", $0) } == [1, 0, nil, nil])
    }

    @Test(
        .refuses("CF-02"),
        arguments: [
            "/.portcullis/login/other", "/.portcullis/login/shop/", "/.portcullis/login/SHOP",
            "/.portcullis/Login/shop",
            "/.portcullis/login//shop", "/.portcullis/login/shop?x", "/.portcullis/", "", "/", "/.portcullis/login/",
            "/.portcullis/%6Cogin/shop", "/.portcullis/requests/abc", "//.portcullis/login/shop",
            "/.portcullis/login/shop\u{0}",
        ])
    func `are nothing in any other spelling`(path: String) {
        #expect(endpoint(path) == nil)
    }

    @Test(.refuses("JAR-20")) func `are short: what is longer is no request object, and without logins there is none`()
    {
        let id = String(repeating: "a", count: 600)
        #expect(endpoint("/.portcullis/request/" + id) == nil)
        #expect(endpoint("/.portcullis/request/abc", []) == nil)
    }

    // MARK: where a request without a session is sent

    private func escaped(_ target: String) -> String { target.withBytes { LoginPointer.escaped($0.span) } }

    @Test(.holds("CF-08")) func `carry the target they come back to as one value`() {
        #expect(escaped("/a") == "%2Fa")
        #expect(escaped("/a?b=c&d=%20+e;f#g") == "%2Fa%3Fb%3Dc%26d%3D%2520%2Be%3Bf%23g")
        for byte in UInt8.min...UInt8.max {
            let value = [UInt8(ascii: "/"), byte].withUnsafeBufferPointer { LoginPointer.escaped($0.span) }
            #expect(value.utf8.allSatisfy { ASCII.isUnreserved($0) || "%+*".utf8.contains($0) }, "\(byte)")
            let bytes = Array(value.utf8)
            #expect(FormEncoding.decode(bytes.span) == [UInt8(ascii: "/"), byte])
        }
    }

    @Test(.refuses("CF-08")) func `come back to the beginning from nowhere, and from what is too long to carry`() {
        #expect(escaped("") == "%2F")
        #expect(escaped("/" + String(repeating: "a", count: 2047)).utf8.count == 2050)
        #expect(escaped("/" + String(repeating: "a", count: 2048)) == "%2F")
    }

    @Test(.holds("CF-08")) func `look for pages in what is accepted, whatever its case and place`() {
        for value in ["text/html", "a, TEXT/HTML;q=0.1", "x/y,text/html", "*/*, text/html"] {
            #expect(value.withBytes { AcceptField.wantsPage($0.span) }, "\(value)")
        }
        for value in ["", "text", "text/htm", "text/xhtml", "text /html", "*/*"] {
            #expect(!value.withBytes { AcceptField.wantsPage($0.span) }, "\(value)")
        }
    }

    @Test(.refuses("CF-08")) func `take no longer name for the type that it begins or ends with`() {
        for value in ["text/htmlx", "text/html+xml", "xtext/html", "application/xhtml, text/html-sandboxed;q=1"] {
            #expect(!value.withBytes { AcceptField.wantsPage($0.span) }, "\(value)")
        }
        #expect("text/html5, text/html".withBytes { AcceptField.wantsPage($0.span) })
        // The longer name has no weight for the whole one either.
        #expect("text/html;q=0.5, application/problem+jsonx".withBytes { AcceptField.wantsPage($0.span) })
        #expect(!"application/problem+json-seq".withBytes { AcceptField.wantsProblem($0.span) })
    }

    @Test func `look for pages as much as the field wants them, and no more`() {
        let problem = "application/problem+json"
        for value in [
            "text/html;q=0.1", "text/html;level=1; Q=1", "text/html, \(problem)", "text/html;q=0, text/html;q=0.5",
            "text/html;q=0.5, \(problem);q=0.4", "text/html;q=x", "text/html;q=",
        ] {
            #expect(value.withBytes { AcceptField.wantsPage($0.span) }, "\(value)")
        }
        for value in [
            "text/html;q=0", "text/html; q=0.000", "text/html;q=0.", "text/html;q=0.1, \(problem)",
            "\(problem), text/html;q=0.999",
        ] {
            #expect(!value.withBytes { AcceptField.wantsPage($0.span) }, "\(value)")
        }
        #expect("\(problem);q=0.001".withBytes { AcceptField.wantsProblem($0.span) })
        #expect(!"\(problem);q=0".withBytes { AcceptField.wantsProblem($0.span) })
        // Each byte is looked at once, however many there are of whatever.
        for piece in ["text/html;q=0", "text/html;", "/", ";q=", "text/html,"] {
            let value = String(repeating: piece, count: 3000)
            _ = value.withBytes { AcceptField.wantsPage($0.span) }
        }
    }
}

@Suite struct `what routes ask of logins` {
    private func access(acr: [String] = [], maximumAge: Int? = nil, login: Int = 0) -> LoginAccessSettings {
        var rights = RightsSettings()
        rights.acrValues = acr
        rights.maximumAge = maximumAge.map { .seconds($0) }
        return LoginAccessSettings(login: login, rights: rights)
    }

    private func routes(_ list: [LoginAccessSettings]) -> [RouteSettings] {
        list.enumerated().map { index, access in
            RouteSettings(
                name: "r\(index)", path: "/\(index)", upstream: UpstreamSettings(host: "127.0.0.1", port: 1),
                access: .login(access))
        }
    }

    @Test(.holds("STEP-04")) func `is listed once for each client, and found again by its place`() throws {
        let list = [
            access(), access(acr: ["gold"]), access(maximumAge: 60),
            access(acr: ["gold"]), access(acr: ["gold"], maximumAge: 60),
            access(acr: ["other"], login: 1),
        ]
        let all = StepUps.all(of: 0, in: routes(list))
        #expect(
            all == [
                StepUp(acrValues: ["gold"]), StepUp(maximumAge: 60), StepUp(acrValues: ["gold"], maximumAge: 60),
            ])
        #expect(StepUps.all(of: 1, in: routes(list)) == [StepUp(acrValues: ["other"])])
        let rig = try JudgeRig(routes(Array(list.prefix(5))), logins: [JudgeRig.login()])
        let places = (0..<5).map { rig.table.index.list[$0].login?.pointee.stepUp }
        #expect(places == [-1, 0, 1, 0, 2])
    }

    @Test(.holds("STEP-04")) func `is nothing where routes ask for nothing`() {
        #expect(StepUps.all(of: 0, in: routes([access()])).isEmpty)
        #expect(StepUps.all(of: 0, in: []).isEmpty)
    }
}
