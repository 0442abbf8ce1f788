/// How slow and how large the messages of one route may be, with nothing left to look up.
package struct RoutePatience: Sendable {
    /// Largest request body in bytes; `Int64.max` for no limit.
    package let bodyLimit: Int64
    /// Bytes a second that a request's body must bring on average; 0 for none.
    package let bodyRate: Int
    /// Milliseconds without a byte of a request's body.
    package let requestBody: Int
    /// Milliseconds from a request's last byte to the head of its response.
    package let upstreamFirstByte: Int
    /// Milliseconds without a byte of a response's body, or without one taken by the client.
    package let responseBody: Int

    package init(bodyLimit: Int64, bodyRate: Int, requestBody: Int, upstreamFirstByte: Int, responseBody: Int) {
        self.bodyLimit = bodyLimit
        self.bodyRate = bodyRate
        self.requestBody = requestBody
        self.upstreamFirstByte = upstreamFirstByte
        self.responseBody = responseBody
    }
}
