import Access
import Bytes
import Gateway
import Issuers
import JSON
import OAuth
import Telemetry

/// What the token, or the session, allows.
extension Check {
    static let ofRights = rows(
        answered: CheckFacts.answeredByRoute,
        [
            Check(
                .scope, "scope", "RFC 6750 §3.1", of: .token,
                seen: CheckWords { ShownText.list($0.grantedScopes) },
                wanted: CheckWords {
                    ShownText.allOf($0.neededScopes) + ($0.grpcMethods.isEmpty ? "" : " for \($0.calledMethod)")
                },
                skipped: [\.withoutToken, { $0.unless(!$0.neededScopes.isEmpty) }]),
            Check(
                .authorizationDetails, "authorization_details", "RFC 9396 §9.1", of: .token,
                seen: .right("authorization_details"), wanted: CheckWords(\.wantedDetails),
                skipped: [\.ofTokensAlone, \.withoutToken, { $0.unless(!$0.authorizationDetails.isEmpty) }]),
            Check(
                .acr, "acr", "RFC 9470 §3", of: .token, seen: .right("acr"),
                wanted: CheckWords { ShownText.oneOf($0.rights?.acrValues ?? []) },
                skipped: [\.withoutToken, { $0.unless($0.rights?.acrValues.isEmpty == false) }]),
            Check(
                .maxAge, "auth_time", "RFC 9470 §3", of: .token,
                seen: CheckWords { $0.seenTime("auth_time", in: $0.claims) },
                wanted: CheckWords { $0.rights?.maximumAge.map { "at most \($0.wholeSeconds) s ago" } ?? "" },
                skipped: [\.withoutToken, { $0.unless($0.rights?.maximumAge != nil) }]),
            Check(
                .user, "user's token", "RFC 9068 §5", of: .token,
                seen: CheckWords {
                    "sub \(ShownText.json($0.claims?["sub"])), client_id \(ShownText.json($0.claims?["client_id"]))"
                }, wanted: "sub and client_id that differ",
                skipped: [\.ofTokensAlone, \.withoutToken, { $0.unless($0.policy?.userOnly == true) }]),
            Check(
                .claimRules, "claim rules", "configuration", of: .token,
                seen: CheckWords { facts in
                    facts.rulesInQuestion.map(facts.found).joined(separator: "; ")
                },
                wanted: CheckWords { facts in
                    facts.rulesInQuestion.map(facts.words).joined(separator: "; ")
                }, skipped: [\.withoutToken, { $0.unless($0.rights?.claims.isEmpty == false) }]),
        ])

    /// What the upstream gets, and the proof that is spent when nothing else is left to refuse for.
    static let ofUpstream =
        ofPlan
        + rows(answered: CheckFacts.answeredByRoute, shown: { $0.asksStore }, [sharedReplay])
        + rows(
            answered: CheckFacts.answeredByRoute,
            [
                Check(
                    .upstream, "upstream", "RFC 9110 §15.6", of: .route, seen: .nothing, wanted: "an answer",
                    skipped: [{ _ in "no upstream is asked here" }])
            ])

    /// Whoever has no store need not read about it.
    private static let sharedReplay = Check(
        .sharedReplay, "proof: first anywhere", "RFC 9449 §11.1", of: .proof, seen: CheckWords(\.seenAtStore),
        wanted: "a proof that no replica has let through",
        skipped: [\.sessionInstead, \.withoutToken, \.unboundBearer, \.storeNotAsked, \.boundToNoKey])

    private static let ofPlan = rows(
        answered: CheckFacts.answeredByRoute,
        [
            Check(
                .exchange, "token exchange", "RFC 8693 §2", of: .token, seen: .nothing,
                wanted: "a token of the authorization server for the upstream", skipped: [\.withoutToken, \.noExchange]
            ),
            Check(
                .body, "body size", "RFC 9110 §15.5.14", of: .route, seen: CheckWords(\.seenBody),
                wanted: CheckWords { $0.bodyLimit.map { "at most \($0) bytes" } ?? "" },
                skipped: [{ $0.bodyLimit == nil ? "limits.request_body is not set" : nil }]),
            Check(
                .identity, "identity fields", "RFC 9110 §5.4", of: .route,
                seen: CheckWords { ($0.route?.identity ?? []).map(\.name).joined(separator: " ") },
                wanted: "at most 32768 bytes of fields",
                skipped: [{ $0.route?.identity.isEmpty == true ? "the route injects nothing" : nil }, \.withoutToken]),
            Check(
                .upstreamCredential, "upstream's credential", "RFC 9449 §7.2", of: .route, seen: .nothing,
                wanted: "a token that anybody may use, bound to nothing", skipped: [\.withoutToken, \.tokenNotPassed]),
            Check(
                .replay, "proof: first use", "RFC 9449 §11.1", of: .proof,
                seen: CheckWords { "jti \(ShownText.json($0.proof?.claims?["jti"]))" },
                wanted: "a jti that this key has not used",
                skipped: [
                    \.sessionInstead, \.withoutToken, \.unboundBearer, \.proofsNotRemembered, \.boundToNoKey,
                ]),
        ])
}

extension CheckFacts {
    fileprivate func unless(_ isAskedFor: Bool) -> String? { isAskedFor ? nil : "the route does not ask for it" }

    fileprivate var ofTokensAlone: String? { usesSession ? "not asked of sessions" : nil }

    fileprivate var noExchange: String? {
        guard case .exchange = route?.credential else { return "the route exchanges no token" }
        return evidence.isDryRun ? "no token is asked for without need" : nil
    }

    fileprivate var tokenNotPassed: String? {
        guard let route else { return "the client's token is not passed on" }
        if route.identity.contains(where: \.isAccessToken) { return nil }
        guard case .pass = route.credential else { return "the client's token is not passed on" }
        return usesSession ? "a session's token is passed on with its proof" : nil
    }

    fileprivate var proofsNotRemembered: String? {
        evidence.isDryRun && proof != nil ? "proofs that clients used are not looked at here" : nil
    }

    /// Whether proofs are asked about at a store, or were.
    fileprivate var asksStore: Bool {
        switch verdict {
        case .undecided(.proof, _): true
        case .refused(let refusal, _, _, let row):
            settings.proofs.sharing != .none
                || LoggedRefusal(refusal, row: row).explained.check == .sharedReplay
        case .forwarded, .answered, .undecided: settings.proofs.sharing != .none
        }
    }

    /// What a gateway would have the store remember; whoever only asks has it remember nothing (SH-88).
    fileprivate var storeNotAsked: String? {
        guard evidence.isDryRun, proof != nil else { return nil }
        guard let stored = evidence.storedProof else { return "the store is not asked here" }
        return "the store is not asked here: a gateway has it keep the key that ends in :p:\(stored.name) until "
            + "\(UnixTime.text(stored.until)) by any clock, unless it is there"
    }

    fileprivate var seenAtStore: String {
        let answer =
            switch evidence.spending {
            case .none, .here: "no answer yet"
            case .first: "the store says that it is the first"
            case .used: "the store has it already"
            case .unavailable: "no answer that counts"
            case .down: "no connection to the store"
            case .busy: "no room for a question to the store"
            case .forgotten: "the store forgot what was used before"
            case .nonceForgotten: "the store forgot what was used before this nonce was made"
            }
        return evidence.storedProof.map { "\(answer), of the key that ends in :p:\($0.name)" } ?? answer
    }

    /// Scopes that the method needs here.
    var neededScopes: [String] {
        rights?.scopes(for: calledMethod) ?? []
    }

    /// The method by which the route names scopes: HTTP's, or that of a gRPC service.
    var calledMethod: String { rights?.grpcMethod(ofCall: evidence.path) ?? evidence.method }

    /// Scopes in the issuer's scope claim.
    var grantedScopes: [String] {
        guard let value = claims?[usesSession ? "scope" : issuer?.rules.scopeClaim ?? "scope"] else { return [] }
        if let words = value.string { return words.split(separator: " ").map(String.init) }
        return value.elements.compactMap(\.string)
    }

    /// The rights that the method needs here.
    fileprivate var authorizationDetails: [AuthorizationDetailsRule] {
        policy?.authorizationDetails(for: evidence.method) ?? []
    }

    var wantedDetails: String {
        authorizationDetails.map { rule in
            let lists = [
                ("actions", rule.actions), ("locations", rule.locations), ("datatypes", rule.dataTypes),
                ("privileges", rule.privileges),
            ]
            let words =
                ["type \(ShownText.quote(rule.type))"]
                + lists.filter { !$0.1.isEmpty }.map { "\($0.0) \(ShownText.list($0.1))" }
                + (rule.identifier.map { ["identifier \(ShownText.quote($0))"] } ?? [])
            return words.joined(separator: ", ")
        }.joined(separator: " and ")
    }

    /// The first claim rule that is not met.
    var unmetRule: ClaimRuleSettings? {
        guard let claims else { return rights?.claims.first }
        return rights?.claims.first { !$0.holds(in: claims) }
    }

    /// The rule that is not met, or else all of them.
    fileprivate var rulesInQuestion: [ClaimRuleSettings] { unmetRule.map { [$0] } ?? rights?.claims ?? [] }

    /// The rule's claim as the configuration spells it.
    func name(of rule: ClaimRuleSettings) -> String { ShownText.plain(rule.claim.joined(separator: ".")) }

    /// Whether it asks a claim of the token for one of a few values, which can be told in a sentence.
    static func isPlain(_ rule: ClaimRuleSettings) -> Bool { rule.kind == .oneOf && rule.file == nil }

    /// What the rule asks for.
    fileprivate func words(_ rule: ClaimRuleSettings) -> String {
        Self.isPlain(rule) ? "\(name(of: rule)) one of \(ShownText.list(rule.anyOf))" : ShownText.plain(rule.text)
    }

    /// What the claims that the rule looks at are.
    fileprivate func found(_ rule: ClaimRuleSettings) -> String {
        guard rule.names != Array(rule.claim.prefix(1)) else {
            return "\(name(of: rule)) \(ShownText.json(value(of: rule)))"
        }
        return rule.names.map { "\(ShownText.plain($0)) \(ShownText.json(claims?[$0]))" }.joined(separator: ", ")
    }

    func value(of rule: ClaimRuleSettings) -> JSONValue? {
        claims.flatMap { Claims.value(at: rule.claim, in: $0) }
    }

    fileprivate var seenBody: String {
        switch evidence.body {
        case .none: "no body"
        case .bytes(let count): "\(count) bytes"
        case .chunked: "chunked, of a length that is not announced"
        }
    }

    /// What the route, or else the gateway, says of a request's body.
    fileprivate var bodyLimit: Int64? {
        switch route?.limits.requestBody {
        case .bytes(let count): count
        case .unlimited: nil
        case nil: settings.limits.requestBody
        }
    }
}
