import Bytes

/// What a route says to pages of other origins, written out at the start: a request costs a look for its origin, and an
/// answer the copy of finished lines.
package struct CORSPolicy: ~Copyable, Sendable {
    enum Mode: UInt8 {
        /// Pages elsewhere may do nothing.
        case refused
        /// The upstream decides.
        case upstream
        /// The route's own rules.
        case rules

        init(_ settings: CORSSettings) {
            switch settings {
            case .refused: self = .refused
            case .upstream: self = .upstream
            case .rules: self = .rules
            }
        }
    }

    let mode: Mode
    /// `Access-Control-…` of the upstream goes no further: two policies would be none.
    package let removesUpstreamFields: Bool
    /// Scripts of these origins act with the user's session.
    let takesCredentials: Bool
    /// The methods that are let through when a browser asks.
    package let methods: MethodSet
    /// Whether every origin gets the same answer.
    let isForAnyone: Bool
    private let origins: TextList
    /// The lines of an answer to each of the origins, and last of an answer to anyone else.
    private let lines: TextList
    /// What is expected of a page, in words.
    let expected: String

    /// The policy of a route with these methods; `isPublic` where it takes no credentials.
    ///
    /// Members are given their values at the end and read by nothing before: the optimiser of Swift 6.3 destroys a value
    /// that cannot be copied where a member of it is read before all of them are there.
    package init(_ settings: CORSSettings, routeMethods: MethodSet, isPublic: Bool) {
        let mode = Mode(settings)
        let rules = settings.rules
        let named = rules.origins ?? []
        let isForAnyone = rules.origins == nil
        let others = mode == .rules ? CORSPolicy.lines(for: isForAnyone ? "*" : nil, rules) : ""
        self.mode = mode
        removesUpstreamFields = mode == .rules || mode == .refused && !isPublic
        takesCredentials = rules.credentials
        methods = rules.methods.map { MethodSet($0) } ?? routeMethods
        self.isForAnyone = isForAnyone
        origins = TextList(named)
        lines = TextList(named.map { CORSPolicy.lines(for: $0, rules) } + [others])
        expected = settings.words
    }

    /// The origin's place in the list, exactly as it is written there; nil for any other.
    package func place(of origin: Span<UInt8>) -> Int? { origins.firstIndex(of: origin) }

    /// The lines of an answer to the origin at this place of the list, or to anyone else, each with its CRLF.
    @_lifetime(borrow self)
    package func lines(forPlace place: Int?) -> Span<UInt8> { lines[place ?? origins.count] }

    /// A cache must not give one origin what another one was given, nor what was given without (Fetch, HTTP-71).
    private static func lines(for origin: String?, _ rules: CORSRules) -> String {
        let vary = rules.origins == nil ? "" : "Vary: Origin\r\n"
        guard let origin else { return vary }
        let exposed = ["WWW-Authenticate", "DPoP-Nonce"] + rules.exposedFields
        return "Access-Control-Allow-Origin: \(origin)\r\n"
            + (rules.credentials ? "Access-Control-Allow-Credentials: true\r\n" : "")
            + "Access-Control-Expose-Headers: \(exposed.joined(separator: ", "))\r\n" + vary
    }
}

extension CORSSettings {
    /// The route's own rules; where it has none, those that name no origin.
    fileprivate var rules: CORSRules {
        if case .rules(let said) = self { return said }
        return CORSRules(origins: [])
    }

    /// Which pages they serve, for the operator.
    package var words: String {
        switch self {
        case .refused: "no page elsewhere: the route has no cors"
        case .upstream: "what the upstream allows"
        case .rules(let rules): rules.origins.map { "one of cors.origins: \($0.joined(separator: ", "))" } ?? "any"
        }
    }
}
