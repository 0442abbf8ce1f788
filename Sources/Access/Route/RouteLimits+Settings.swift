/// What one route has in place of the bounds for all; nil is those for all.
package struct RouteLimitSettings: Sendable, Equatable {
    package enum BodyLimit: Sendable, Equatable {
        case unlimited
        case bytes(Int64)
    }

    /// Largest request body.
    package var requestBody: BodyLimit?
    /// Bytes a second that a request's body must bring on average; 0 for none.
    package var requestBodyRate: Int?
    /// How many requests there may be, and whose.
    package var requests: [RequestLimitSettings]?

    package init(
        requestBody: BodyLimit? = nil, requestBodyRate: Int? = nil, requests: [RequestLimitSettings]? = nil
    ) {
        self.requestBody = requestBody
        self.requestBodyRate = requestBodyRate
        self.requests = requests
    }
}

/// What one route has in place of the durations for all; nil is those for all.
package struct RouteTimeoutSettings: Sendable, Equatable {
    package var requestBody: Duration?
    package var upstreamFirstByte: Duration?
    package var responseBody: Duration?

    package init(
        requestBody: Duration? = nil, upstreamFirstByte: Duration? = nil, responseBody: Duration? = nil
    ) {
        self.requestBody = requestBody
        self.upstreamFirstByte = upstreamFirstByte
        self.responseBody = responseBody
    }
}
