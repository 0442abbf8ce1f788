import Access
import Gateway

/// `cors` of a route: what scripts of pages elsewhere may do (HTTP-71, HTTP-72, T-46).
enum CORSSection {
    static let value = Shape.either([.word(["upstream"], never: ["*": anyone, "true": anyone]), .object(shape)])

    private static let anyone = "say  { origins: \"*\" }  for everybody, or list the origins"

    private static let table = SettingTable(
        "a mapping with origins", defaults: CORSRules(origins: nil),
        [
            .key(
                "origins",
                .either([
                    .word(
                        ["*"], never: ["null": "pages without an origin of their own are anybody's; list the others"]),
                    .list(ListShape(noun: "origins", element: .text(URLText.originField), count: 1...64)),
                ]), .required, example: "[https://app.example.com]",
                "The pages whose scripts may call this, as browsers write them; \"*\" for all, without credentials."),
            .value(
                "methods", \.methods,
                .list(ListShape(noun: "methods", element: .text(PlainText.method), count: 1...32)), .optional,
                example: "[GET, POST]", "What they may do; by default all that the route allows."
            ) { $0.texts.map(\.text) },
            .texts(
                "headers", \.requestFields,
                .list(ListShape(noun: "header fields", element: .text(FieldNameText.any), count: 0...64)),
                "Header fields they may send beyond those that every page may."),
            .texts(
                "expose", \.exposedFields,
                .list(ListShape(noun: "header fields", element: .text(FieldNameText.any), count: 0...64)),
                example: "[Link]", "Header fields of answers they may read beside WWW-Authenticate and DPoP-Nonce."),
            .flag(
                "credentials", \.credentials,
                "Lets them act with the user's session: browsers send its cookie along."),
            .seconds(
                "max_age", \.maximumAge, 0...86_400, "How long a browser may remember what it was told."),
        ])
    static let shape = table.shape

    /// What the route says; nil when it does not fit.
    static func translate(_ route: CheckedObject, _ methods: MethodsOfRoute, _ context: RouteContext) -> CORSSettings {
        guard let object = route.object("cors") else {
            return route.text("cors") == nil ? .refused : .upstream
        }
        let problems = context.translation.problems
        for key in ["origins", "methods", "headers", "expose"] { Repetition.refuse(object.texts(key), problems) }
        let origins = origins(object)
        if origins == nil, object.flag("credentials") == true {
            problems.error(
                at: object.place(of: "credentials"), expected: "credentials for origins by name",
                found: "credentials: true beside origins: \"*\"",
                remedy: "list the origins that are yours: browsers take no * in answers to requests with cookies, and "
                    + "to name whoever asks instead would let any page on the web act as your users")
        }
        judgeAllowedOrigins(object, origins, route, context)
        if let allowed = methods.allowed {
            for method in object.texts("methods") where !allowed.contains(method.text) {
                problems.error(
                    at: method.place, expected: "a method that the route allows", found: Quoted.text(method.text),
                    remedy: "add it to the route's methods, or leave it out here")
            }
        }
        var rules = CORSRules(origins: origins)
        table.read(object, into: &rules)
        if route.flag("grpc") == true { addFieldsOfCalls(&rules) }
        return .rules(rules)
    }

    /// What a page that calls by gRPC-Web sends and reads.
    private static func addFieldsOfCalls(_ rules: inout CORSRules) {
        func missing(_ names: [String], _ said: [String]) -> [String] {
            names.filter { name in !said.contains { $0.lowercased() == name.lowercased() } }
        }
        rules.requestFields += missing(["X-Grpc-Web", "Grpc-Timeout"], rules.requestFields)
        rules.exposedFields += missing(["Grpc-Status", "Grpc-Message"], rules.exposedFields)
    }

    /// Nil for all of them.
    static func origins(_ object: CheckedObject) -> [String]? {
        if object.text("origins") != nil { return nil }
        return object.texts("origins").compactMap { WebAddress($0.text)?.origin }
    }

    /// Who may call by CORS and is refused by `allowed_origins` would find out by a riddle.
    private static func judgeAllowedOrigins(
        _ object: CheckedObject, _ origins: [String]?, _ route: CheckedObject, _ context: RouteContext
    ) {
        let problems = context.translation.problems
        guard route.says("allowed_origins") || route.flag("mcp") == true, object["origins"] != nil else { return }
        guard let origins else {
            problems.error(
                at: object.place(of: "origins"), expected: "origins by name where the route looks at Origin",
                found: "\"*\"", remedy: "list the origins, or leave out allowed_origins and mcp")
            return
        }
        guard route.says("allowed_origins") else { return }
        let allowed = route.texts("allowed_origins").compactMap { WebAddress($0.text)?.origin }
        for origin in origins where !allowed.contains(origin) {
            problems.error(
                at: object.place(of: "origins"), expected: "origins that allowed_origins lets through",
                found: Quoted.text(origin), remedy: "add it to allowed_origins, or leave it out here")
        }
    }
}

/// `limits` and `timeouts` of a route, in place of those for all.
enum RouteBounds {
    private static let limitTable = SettingTable(
        "the route's limits", defaults: RouteLimitSettings(),
        [
            .value(
                "request_body", \.requestBody, .byteCount(0...(1 << 50), acceptsUnlimited: true), .optional,
                example: "10MiB", "One request body; a longer one is answered 413. That of limits by default."
            ) {
                guard case .byteCount(let bytes) = $0.content else { return nil }
                return bytes.map { .bytes(Int64($0)) } ?? .unlimited
            },
            .bytes(
                "request_body_rate", orNone: \.requestBodyRate, 0...(1 << 30), example: "0B",
                "Bytes a second that a request body must bring, 0B for none. That of limits by default."),
            .key(
                "requests", RequestRateSection.value, .optional, example: "[{ rate: 600/min, by: subject }]",
                "Rates of requests to this route, in place of those of limits; beyond one 429."),
        ])
    static let limits = limitTable.shape

    private static let timeoutTable = SettingTable(
        "the route's timeouts", defaults: RouteTimeoutSettings(),
        [
            .milliseconds(
                "request_body", orNone: \.requestBody, TimeoutSection.range, example: "2m",
                "Without a byte of a request body. That of timeouts by default."),
            .milliseconds(
                "upstream_first_byte", orNone: \.upstreamFirstByte, TimeoutSection.range, example: "2m",
                "From the end of a request to the response's head. That of timeouts by default."),
            .milliseconds(
                "response_body", orNone: \.responseBody, TimeoutSection.range, example: "2m",
                "Without a byte of a response body, or without one taken by the client. That of timeouts by default."),
        ])
    static let timeouts = timeoutTable.shape

    static func limits(_ route: CheckedObject, _ problems: ProblemList) -> RouteLimitSettings {
        var settings = RouteLimitSettings()
        limitTable.read(route.object("limits"), into: &settings)
        settings.requests = RequestRateSection.translate(
            route.object("limits"), isPublic: route.flag("public") == true, problems)
        return settings
    }

    static func timeouts(_ route: CheckedObject) -> RouteTimeoutSettings {
        var settings = RouteTimeoutSettings()
        timeoutTable.read(route.object("timeouts"), into: &settings)
        return settings
    }
}
