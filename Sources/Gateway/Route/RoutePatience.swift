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
