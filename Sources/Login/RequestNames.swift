/// What logs call a request, so that the lines of a login can be found beside those of its request; empty where there is none.
package struct RequestNames: Sendable, Equatable {
    /// 32 hexadecimal digits, as pages show them too.
    package var requestID = ""
    /// The decision on it: the number of the configuration, and the beginning of the request's id.
    package var decisionID = ""
    /// The id that a trusted proxy gave it.
    package var proxyRequestID = ""
    /// The trace that it belongs to, as 32 hexadecimal digits.
    package var traceID = ""

    /// None of them.
    package init() {}
}
