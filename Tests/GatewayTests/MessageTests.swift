import Explain
import Access
import Foundation
import Gateway
import HTTP1
import HTTPMessage
import Issuers
import JOSE
import JSON
import Login
import OAuth
import Synchronization
import Testing

/// What no text for a person has: a place that nobody filled, a name out of the code, a mark that was escaped twice.
enum TextFault {
    /// Those of texts that were read before: many messages say the same.
    private static let known = Mutex<[String: [String]]>([:])

    /// The faults of a text, by name.
    static func all(in text: String) -> [String] {
        if let faults = known.withLock({ $0[text] }) { return faults }
        let faults = read(text)
        known.withLock { $0[text] = faults }
        return faults
    }

    private static func read(_ text: String) -> [String] {
        let faults: [(String, Regex<Substring>)] = [
            ("unfilled", #/\b(?:CLIENT|ISSUER|CONFIG|ROUTE|NAME|LISTENER|NETWORK|PATH)\b/#),
            ("no name", #/\b(?:clients|issuers|routes|listeners)(?:\.\?|\[\??\]|\.\.)/#), ("two colons", #/: +:/#),
            ("nothing said", #/: (?:none|absent)?\.|[,:] *\.$/#), ("escaped twice", #/\\[\\'"]/#),
            ("code", #/\b[a-z]+[A-Z]\w*\(|\bOptional\(|\bnil\b|[A-Z]\w+\.[a-z]+[A-Z]/#),
        ]
        return faults.filter { text.contains($0.1.wordBoundaryKind(.simple)) }.map(\.0)
    }
}

@Suite struct `every message that there is` {
    @Test(
        arguments: [
            ("set clients.CLIENT.dpop: optional", ["unfilled"]), ("set routes[?].token", ["no name"]),
            ("issuer mismatch: found: : \"http://x\"", ["two colons"]),
            ("did not answer as it should: none.", ["nothing said"]),
            (#""Couldn\\'t connect""#, ["escaped twice"]), ("headerNotJSON(JSON.JSONRefusal.tooDeep)", ["code"]),
            ("fetch: connect failed: \"Couldn't connect to 'id'\"", []),
            ("send it as  Authorization: Bearer TOKEN", []),
            ("found none.", []),
        ] as [(String, [String])])
    func `is held against faults that are found`(text: String, faults: [String]) {
        #expect(TextFault.all(in: text) == faults)
    }

    /// Requests of an API's client, of a browser at a route and at the paths of logins, and one of which nothing is known.
    private static func situations() throws -> [(settings: GatewaySettings, evidence: RequestEvidence)] {
        let api = ExplainRig().settings
        let browser = try ExplainRig.browser().settings
        var several = browser
        several.logins.append(browser.logins[0])
        several.logins[1].name = "other"
        var route = RequestEvidence()
        route.route = 0
        route.path = "/orders/1"
        route.method = "GET"
        var callback = RequestEvidence()
        callback.path = "/.portcullis/callback/shop"
        callback.ownAnswer = .login
        var nowhere = callback
        nowhere.path = "/.portcullis/logged-out"
        return [
            (api, route), (api, RequestEvidence()), (browser, route), (browser, callback), (browser, nowhere),
            (several, callback), (several, nowhere), (several, route),
        ]
    }

    @Test(arguments: Refusal.allCases) func `that explains a refusal is whole`(refusal: Refusal) throws {
        for (settings, evidence) in try Self.situations() {
            for found in ["none", "absent", "", "status 400, error invalid_grant, \"it's over\""] {
                for row in ["\(refusal.check)", "RF-06", "RS-25"] {
                    let explanation = Explanation(
                        evidence, .refused(refusal, expected: "an answer", found: found, row: row), settings: settings,
                        now: ExplainRig.now)
                    let remedy = try #require(explanation.remedy)
                    let texts = [remedy.diagnosis] + remedy.steps.flatMap { [$0.text, $0.condition] }
                    for text in texts {
                        #expect(TextFault.all(in: text) == [], "\(refusal): \(text)")
                        #expect(!text.contains("  .") && !text.hasPrefix(" "), "\(text)")
                    }
                    #expect(!remedy.steps.isEmpty)
                }
            }
        }
    }

    @Test(arguments: OpenQuestion.allCases) func `that says what could not be found out is whole`(
        question: OpenQuestion
    ) throws {
        for (settings, evidence) in try Self.situations() {
            let explanation = Explanation(
                evidence, .undecided(question, reason: "connect_failed (fetch: connect failed)"), settings: settings,
                now: ExplainRig.now)
            let remedy = try #require(explanation.remedy)
            for text in [remedy.diagnosis] + remedy.steps.flatMap({ [$0.text, $0.condition] }) {
                #expect(TextFault.all(in: text) == [], "\(question): \(text)")
            }
        }
    }

    @Test func `that tells of a login's client names it and its issuer, and neither where nobody knows them`() throws {
        func steps(_ path: String, _ refusal: Refusal, _ names: [String]) throws -> [String] {
            var settings = try ExplainRig.browser().settings
            settings.logins = names.map { name in
                var login = settings.logins[0]
                login.name = name
                return login
            }
            var evidence = RequestEvidence()
            evidence.path = path
            let explanation = Explanation(
                evidence, .refused(refusal, expected: "one", found: "another", row: "\(refusal.check)"),
                settings: settings, now: ExplainRig.now)
            return explanation.remedy?.steps.map(\.text) ?? []
        }
        let known = try steps("/.portcullis/callback/shop", .loginIDTokenInvalid, ["shop", "other"])
        #expect(known.contains("clients.shop.id_token.algorithm: as this client's ID tokens are signed"))
        #expect(known.contains("issuers.main.url: the issuer byte for byte"))
        #expect(try steps("/x", .loginIDTokenInvalid, ["shop"]) == known, "the only login there is")
        let unknown = try steps("/.portcullis/logged-out", .loginIDTokenInvalid, ["shop", "other"])
        #expect(
            unknown.contains("id_token.algorithm of the login's client: as this client's ID tokens are signed"),
            "\(unknown)")
        #expect(unknown.contains("url of the login's issuer: the issuer byte for byte"), "\(unknown)")
        let review = "run portcullis explain with --login "
        let told = ": it holds this configuration against what the server offers"
        #expect(try steps("/x", .loginServerUnavailable, ["shop"]).contains(review + "shop" + told))
        #expect(
            try steps("/x", .loginServerUnavailable, ["a", "b"]).contains(review + "and the client's name" + told))
    }

    /// A refusal of each case of what asks issuers, with the texts that servers and libraries may say.
    private static let causes: [any Error] = {
        let words = ["Couldn't connect to \"id\"", "C:\\pipe", "a: b", ""]
        let metadata: [MetadataRefusal] =
            [
                .issuerNotURL, .issuerNotHTTPS, .issuerWithQueryOrFragment, .status(500), .tooLarge(bytes: 9),
                .notAnObject,
                .issuerMissing, .keySetLocationMissing, .endpointNotURL(member: "jwks_uri"),
                .endpointNotHTTPS(member: "jwks_uri"),
            ] + JSONRefusal.allCases.map { .notJSON($0) }
            + words.flatMap { [.contentType($0), .issuerMismatch(found: $0)] }
        let fetch: [FetchRefusal] =
            [
                .unresolved, .timedOut, .tooLarge, .protocolNotAllowed, .unanswered, .redirected, .cancelled, .crowded,
                .tooManyOfClient,
            ] + words.flatMap { [.refusedAddress($0), .connectFailed($0), .tlsFailed($0), .failed($0)] }
        let issuer: [IssuerRefusal] =
            [.keySetStatus(404), .noUsableKeys(ignored: 2), .locationNotURL, .keySet(.keySetTooLarge)]
            + JSONRefusal.allCases.map { .keySet(.keySetNotJSON($0)) } + words.map { .portNotAllowed($0) }
            + metadata.map { .metadata($0) } + fetch.map { .fetch($0) }
        let introspection: [IntrospectionRefusal] = [
            .credentialsRefused(status: 401), .status(500), .tooLarge(bytes: 9), .contentType("text/html"),
            .notJSON(.tooDeep),
            .notAnObject, .malformed(.notCompact), .malformed(.headerNotJSON(.tooDeep)), .typeNotAccepted,
            .algorithmNotAllowed, .unknownKey, .tooManyKeys, .signatureInvalid, .keysMissing, .missingClaim("aud"),
            .claimMalformed("iat"), .issuerMismatch, .audienceMismatch, .issuedInFuture(secondsLeft: 9),
            .issuedTooEarly(secondsAgo: 9),
        ]
        let exchange: [ExchangeRefusal] = [
            .credentialsRefused(status: 401), .error("unauthorized_client"), .status(500), .tooLarge(bytes: 9),
            .contentType("text/html"), .notJSON(.duplicateMember), .notAnObject, .missingMember("access_token"),
            .memberMalformed("expires_in"), .issuedTypeNotAccepted, .tokenTypeNotUsable,
        ]
        let lookups: [LookupRefusal] =
            [
                .crowded, .tooManyOfClient, .tooManyBad, .waitedTooLong, .stopped, .tokenNotSendable, .metadataMissing,
                .endpointMissing, .answerTooLarge(limit: 9), .methodNotOffered(.methodNotOffered("none")),
            ] + introspection.map { .introspection($0) } + exchange.map { .exchange($0) } + issuer.map { .request($0) }
        return issuer.map { $0 } as [any Error] + lookups.map { $0 } + HTTP1Refusal.allCases.map { $0 }
    }()

    @Test func `that has a cause of the modules below has it in words`() {
        #expect(Self.causes.count > 100)
        for cause in Self.causes {
            let words = CauseWords.of(cause)
            // What a server or a library says stands between quotation marks, as it said it.
            #expect(TextFault.all(in: String(words.prefix { $0 != "\"" })) == [], "\(words)")
            #expect(!words.contains(#/\\["']/#) && !words.contains(": :") && !words.hasSuffix(": "), "\(words)")
        }
    }

    @Test(arguments: ["Tests/ExplainTests/Golden", "Tests/ConfigurationTests/Golden"])
    func `that is kept whole for comparison is whole in each line`(folder: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: folder)
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?.allObjects ?? []
        #expect(files.count >= 30)
        for file in files.compactMap({ $0 as? URL }) where file.pathExtension == "txt" {
            var isSaid = !folder.hasSuffix("ConfigurationTests/Golden")
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                // A configuration may say what it wants.
                if ["--- says", "--- and"].contains(line) { isSaid = line == "--- says" }
                guard isSaid else { continue }
                // These are of the operator's choice, of YAML's or a path's.
                let faults = TextFault.all(in: String(line)).filter {
                    switch $0 {
                    case "unfilled": !line.contains(#/\$\{|env: NAME|callback\/NAME/#)
                    case "escaped twice": !line.contains(#/and \\" in "…"/#)
                    case "nothing said": !line.contains(": ./")
                    default: true
                    }
                }
                #expect(faults == [], "\(file.lastPathComponent): \(line)")
            }
        }
    }
}

@Suite struct `a review of a login that finds everything wrong` {
    @Test func `has a whole sentence for each thing, with the client's name`() throws {
        var settings = try ExplainRig.browser().settings
        settings.logins[0].authorization.form = .signedByReference
        settings.logins[0].authorization.responseMode = .queryJWT
        settings.logins[0].dpop = .required
        settings.logins[0].logout.backchannel = true
        settings.logins[0].logout.frontchannel = true
        let text = """
            {"issuer":"https://id.example.com/","jwks_uri":"https://id.example.com/jwks",
            "response_types_supported":["token"],"token_endpoint_auth_methods_supported":[],
            "code_challenge_methods_supported":["plain"],"request_uri_parameter_supported":false,
            "require_pushed_authorization_requests":true,"response_modes_supported":[],
            "id_token_signing_alg_values_supported":["none"],"dpop_signing_alg_values_supported":["RS256"],
            "request_object_signing_alg_values_supported":[],"authorization_signing_alg_values_supported":["none"],
            "backchannel_logout_supported":false,"frontchannel_logout_supported":false}
            """
        let metadata = try ServerMetadata.accept(
            FetchResponse(status: 200, contentType: "application/json", body: Array(text.utf8)),
            issuer: try IssuerIdentifier("https://id.example.com/"))
        let review = try #require(LoginReview(of: "shop", settings, metadata: metadata))
        #expect(review.lines.flatMap(\.problems).count >= 10)
        for line in review.lines {
            let texts =
                [line.title, line.configured, line.offered] + line.remedies
                + line.problems.flatMap { [$0.configured, $0.offered] }
            for text in texts { #expect(TextFault.all(in: text) == [], "\(text)") }
            #expect(line.problems.isEmpty || !line.remedies.isEmpty, "\(line.title)")
        }
    }
}
