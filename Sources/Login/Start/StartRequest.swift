import Bytes
import Issuers
import OAuth
import Refusals
import Sessions

/// What a browser may say when it begins a login: where it comes from, and nothing of what is asked for (CF-08, CF-10).
struct StartRequest: Sendable {
    /// A path of this origin.
    var returnTo: String
    /// The fragment of the page the login began at.
    var fragment: String?
    /// Somebody has looked whether there is one.
    var isFragmentKnown: Bool
    /// What a route asked for, by its place in the list that the service was given.
    var stepUp: Int?
    /// The browser keeps a form for later.
    var keepsForm: Bool
    /// The user wants to be asked who they are: whoever the server knows them as may not see the page.
    var isOtherAccount = false
    /// Of a start by somebody else (OpenID Connect Core §4).
    var loginHint: String?

    static let returnToName = "return_to"
    static let stepUpName = "step_up"
    static let fragmentName = "fragment"
    /// Set once the page that looks for a fragment has been shown: it adds none where there is none.
    static let shownName = "shown"
    static let formName = "form"
    static let otherAccountName = "other"

    private static let thirdPartyNames = ["iss", "login_hint", "target_link_uri"]
    private static let maximumHintBytes = 256

    /// Reads the query of a start; unknown parameters say nothing, and are sent to nobody.
    init(query: [UInt8], place: LoginClient, publicURL: String) throws(LoginFailure) {
        guard let parameters = QueryParameters(query) else {
            throw Self.malformed(
                "a query of at most \(QueryParameters.limit) parameters", found: "more, or an escape that is none")
        }
        let isThirdParty = parameters.contains(anyOf: Self.thirdPartyNames)
        let target = try Self.value(isThirdParty ? "target_link_uri" : Self.returnToName, of: parameters)
        returnTo =
            target.map { Self.target($0, isURL: isThirdParty, publicURL: publicURL) } ?? place.settings.start.page
        let kept = try Self.value(Self.fragmentName, of: parameters)
        fragment = kept.flatMap { ReturnTarget.fragment($0.span) }
        isFragmentKnown = kept != nil || parameters.contains(anyOf: [Self.shownName])
        stepUp = try Self.stepUp(try Self.value(Self.stepUpName, of: parameters), of: place)
        keepsForm = try Self.value(Self.formName, of: parameters) == [UInt8(ascii: "1")]
        isOtherAccount = try Self.value(Self.otherAccountName, of: parameters) == [UInt8(ascii: "1")]
        loginHint = isThirdParty ? try Self.hint(parameters, place) : nil
    }

    /// A start that goes where the gateway wants it to, and no browser says so.
    init(returnTo: String) {
        self.returnTo = returnTo
        isFragmentKnown = true
        keepsForm = false
    }

    /// The path that begins this login, with what is known by now.
    func path(at place: LoginClient) -> String {
        var query: [UInt8] = []
        Self.append(Self.returnToName, returnTo, to: &query)
        if let stepUp { Self.append(Self.stepUpName, String(stepUp), to: &query) }
        if keepsForm { Self.append(Self.formName, "1", to: &query) }
        if isOtherAccount { Self.append(Self.otherAccountName, "1", to: &query) }
        return place.path(.login) + "?" + String(decoding: query, as: UTF8.self)
    }

    private static func append(_ name: String, _ value: String, to query: inout [UInt8]) {
        let value = Array(value.utf8)
        FormEncoding.appendParameter(name, value.span, to: &query)
    }

    private static func value(
        _ name: String, of parameters: QueryParameters
    ) throws(LoginFailure) -> [UInt8]? {
        switch parameters[name] {
        case .none: return nil
        case .one(let value): return value
        case .repeated: throw malformed("\(name) once", found: "\(name) more than once")
        }
    }

    private static func target(_ text: [UInt8], isURL: Bool, publicURL: String) -> String {
        guard isURL else { return ReturnTarget.accept(text.span) }
        // A whole URL is taken where it is one of ours, and only as the path that it has there.
        guard text.starts(with: publicURL.utf8) else { return "/" }
        let path = Array(text.dropFirst(publicURL.utf8.count))
        return ReturnTarget.accept(path.span)
    }

    /// The route's demand; nil for a place that no route asks for any more.
    ///
    /// A page may be older than the configuration. Its user logs in, and is sent for what the route asks for now: nothing
    /// is let through for less.
    private static func stepUp(_ text: [UInt8]?, of place: LoginClient) throws(LoginFailure) -> Int? {
        guard let text else { return nil }
        guard text.count <= 6, let index = Int(String(decoding: text, as: UTF8.self)), index >= 0 else {
            throw malformed(
                "the place of a step-up",
                found: "\(stepUpName) \(Unverified.quote(String(decoding: text, as: UTF8.self)))")
        }
        return place.settings.uses.stepUps.indices.contains(index) ? index : nil
    }

    /// Whoever sends browsers here names our own server, or nobody's login begins (CF-08).
    private static func hint(
        _ parameters: QueryParameters, _ place: LoginClient
    ) throws(LoginFailure) -> String? {
        guard place.settings.start.allowsThirdParty else {
            let names = thirdPartyNames.filter { parameters.contains(anyOf: [$0]) }
            throw malformed("a start of our own", found: "one with \(names.joined(separator: " and "))")
        }
        let issuer = try value("iss", of: parameters)
        guard issuer?.elementsEqual(place.issuer.url.utf8) == true else {
            let found = issuer.map { String(decoding: $0, as: UTF8.self) }
            throw malformed("iss \(place.issuer.url)", found: "iss \(Unverified.quote(found))")
        }
        guard let hint = try value("login_hint", of: parameters) else { return nil }
        guard hint.count <= maximumHintBytes, hint.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
            // It is the name of a user, or their address: nothing of it is told.
            throw malformed(
                "login_hint of at most \(maximumHintBytes) printable characters",
                found: hint.count > maximumHintBytes ? "\(hint.count) bytes" : "other characters")
        }
        return String(decoding: hint, as: UTF8.self)
    }

    private static func malformed(_ expected: String, found: String) -> LoginFailure {
        LoginFailure(.loginStartMalformed, check: "CF-08", expected: expected, found: found)
    }
}
