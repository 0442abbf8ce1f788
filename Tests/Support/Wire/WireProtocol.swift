/// The protocols that clients speak to a gateway.
package enum WireProtocol: Sendable {
    case http1, http2

    /// What a client of a test speaks that is not told otherwise: a suite's trait says it.
    @TaskLocal package static var current = WireProtocol.http1

    /// How the responses that a client reads name it.
    package var version: String {
        switch self {
        case .http1: "HTTP/1.1"
        case .http2: "HTTP/2"
        }
    }

    /// Whether a request may have all these field lines; those that speak of a connection are refused in HTTP/2 whatever
    /// they say (RFC 9113 §8.2.2).
    package func allows(_ lines: [String]) -> Bool {
        self == .http1
            || lines.allSatisfy { line in
                let name = line.prefix { $0 != ":" }.lowercased()
                if name == "te" { return line.lowercased().hasSuffix(": trailers") }
                return !FieldBlock.namesOfConnections.contains(name)
            }
    }

    /// What a request has to say for its connection to end behind it: nothing in HTTP/2, where its stream does.
    package var closing: [String] { self == .http1 ? ["Connection: close"] : [] }
}
