import Glibc
import HTTPMessage

/// What a route says to pages of other origins, written out at the start: a request costs a look for its origin, and an
/// answer the copy of finished lines.
struct CORSPolicy {
    enum Mode: UInt8 {
        /// Pages elsewhere may do nothing.
        case refused
        /// The upstream decides.
        case upstream
        /// The route's own rules.
        case rules
    }

    let mode: Mode
    /// `Access-Control-…` of the upstream goes no further: two policies would be none.
    let removesUpstreamFields: Bool
    /// Scripts of these origins act with the user's session.
    let takesCredentials: Bool
    /// The methods that are let through when a browser asks.
    let methods: MethodSet
    /// Whether every origin gets the same answer.
    let isForAnyone: Bool
    private let origins: UnsafeMutablePointer<Route.Bytes>
    private let count: Int
    /// The lines of an answer to each of the origins, and last of an answer to anyone else.
    private let lines: UnsafeMutablePointer<Route.Bytes>

    init(_ route: RouteSettings) {
        let rules: CORSRules?
        switch route.cors {
        case .refused:
            mode = .refused
            rules = nil
        case .upstream:
            mode = .upstream
            rules = nil
        case .rules(let said):
            mode = .rules
            rules = said
        }
        let isPublic = route.access.token == nil && route.access.login == nil
        removesUpstreamFields = mode == .rules || mode == .refused && !isPublic
        takesCredentials = rules?.credentials ?? false
        methods = rules?.methods.map { MethodSet($0) } ?? MethodSet.of(route)
        isForAnyone = rules.map { $0.origins == nil } ?? false
        let named = rules?.origins ?? []
        count = named.count
        origins = .allocate(capacity: max(1, count))
        origins.initialize(from: named.map { Route.Bytes($0) }, count: count)
        lines = .allocate(capacity: count + 1)
        lines.initialize(from: named.map { Route.Bytes(CORSPolicy.lines(for: $0, rules)) }, count: count)
        (lines + count).initialize(to: Route.Bytes(CORSPolicy.lines(for: isForAnyone ? "*" : nil, rules)))
    }

    /// Frees what was written out; nobody may use it any longer.
    func destroy() {
        for index in 0..<count { origins[index].destroy() }
        for index in 0...count { lines[index].destroy() }
        origins.deallocate()
        lines.deallocate()
    }

    /// The origin's place in the list, exactly as it is written there; nil for any other.
    func place(of origin: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let start = origin.baseAddress else { return nil }
        for index in 0..<count
        where origins[index].count == origin.count && memcmp(origins[index].start, start, origin.count) == 0 {
            return index
        }
        return nil
    }

    /// The lines of an answer to the origin at this place of the list, or to anyone else.
    func lines(forPlace place: Int?) -> UnsafePointer<Route.Bytes> { UnsafePointer(lines + (place ?? count)) }

    /// A cache must not give one origin what another one was given, nor what was given without (Fetch, HTTP-71).
    private static func lines(for origin: String?, _ rules: CORSRules?) -> String {
        guard let rules else { return "" }
        let vary = rules.origins == nil ? "" : "Vary: Origin\r\n"
        guard let origin else { return vary }
        let exposed = ["WWW-Authenticate", "DPoP-Nonce"] + rules.exposedFields
        return "Access-Control-Allow-Origin: \(origin)\r\n"
            + (rules.credentials ? "Access-Control-Allow-Credentials: true\r\n" : "")
            + "Access-Control-Expose-Headers: \(exposed.joined(separator: ", "))\r\n" + vary
    }
}

/// How slow and how large the messages of one route may be, with nothing left to look up.
struct RoutePatience {
    /// Largest request body in bytes; `Int64.max` for no limit.
    let bodyLimit: Int64
    /// Bytes a second that a request's body must bring on average; 0 for none.
    let bodyRate: Int
    /// Milliseconds without a byte of a request's body.
    let requestBody: Int
    /// Milliseconds from a request's last byte to the head of its response.
    let upstreamFirstByte: Int
    /// Milliseconds without a byte of a response's body, or without one taken by the client.
    let responseBody: Int

    init(_ route: RouteSettings, _ limits: LimitSettings, _ timeouts: TimeoutSettings) {
        switch route.limits.requestBody {
        case .unlimited: bodyLimit = .max
        case .bytes(let count): bodyLimit = count
        case nil: bodyLimit = limits.requestBody ?? .max
        }
        bodyRate = route.limits.requestBodyRate ?? limits.requestBodyRate
        requestBody = route.timeouts.requestBody ?? timeouts.requestBody
        upstreamFirstByte = route.timeouts.upstreamFirstByte ?? timeouts.upstreamFirstByte
        responseBody = route.timeouts.responseBody ?? timeouts.responseBody
    }
}
