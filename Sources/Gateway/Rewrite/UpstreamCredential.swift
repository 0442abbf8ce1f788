import Access
import Bytes
import Crypto
import HTTPMessage
import Issuers
import Sessions

extension UpstreamCredential {
    /// Refuses what no configuration may say, whoever wrote it.
    ///
    /// - Throws: when an MCP server would be passed the client's token (MCP-04), or when a fixed value would end its
    ///   line and begin another.
    static func check(_ routes: [RouteSettings]) throws(GatewayFailure) {
        for route in routes {
            if case .pass = route.credential, route.isMCP {
                throw GatewayFailure("the route \(route.name) cannot be served", "an MCP server is passed no token")
            }
            guard case .fixed(let value) = route.credential else { continue }
            let bytes = value.reveal()
            guard let first = bytes.first, first != 0x20, bytes.last != 0x20,
                bytes.allSatisfy({ (0x20...0x7E).contains($0) })
            else {
                throw GatewayFailure(
                    "the route \(route.name) cannot be served", "its credential is not printable text in one line")
            }
        }
    }
}

extension WorkerRef {
    /// Writes the upstream's credential, if the route has one for this request.
    ///
    /// All that ever goes to an upstream as `Authorization`: what the client sent was left out with its other lines.
    func putCredential(
        _ bytes: UnsafeMutablePointer<UInt8>, _ route: FixedValue<Route>, _ findings: inout Findings,
        _ identities: inout Identities, into writer: inout HeadWriter
    ) throws(Refused) {
        switch route.pointee.credential {
        case .none: return
        case .fixed(let line): writer.put(line.buffer)
        case .pass:
            guard let token = findings.token else { return }
            if let state = token.session { return try putSessionToken(state, route, bytes, into: &writer) }
            try passToken(token, bytes, into: &writer)
        case .passIDToken:
            guard let state = findings.token?.session, let token = state.session.idToken else { return }
            writer.put("Authorization: Bearer ")
            token.reveal().withUnsafeBufferPointer { writer.put($0) }
            writer.put("\r\n")
        case .exchange:
            guard findings.token != nil else { return }
            guard let token = findings.upstreamToken else {
                throw Refused(.exchangeUnavailable, expected: "a token for the upstream", found: "none")
            }
            writer.put("Authorization: Bearer ")
            writer.put(token.bytes)
            writer.put("\r\n")
        case .assertion(let rule):
            guard let token = findings.token else { return }
            writer.put(try freshAssertion(token, rule: rule, &identities).bytes)
        }
    }

    /// The client's token in a line of our own, if it is one that anybody may use.
    ///
    /// One that is bound to a key proves nothing without it: the upstream would have to take it for a bearer token.
    private func passToken(
        _ token: TokenRecord, _ bytes: UnsafeMutablePointer<UInt8>,
        into writer: inout HeadWriter
    ) throws(Refused) {
        guard let text = try bearerToken(token, bytes) else { return }
        writer.put("Authorization: Bearer ")
        writer.put(text)
        writer.put("\r\n")
    }

    /// The client's token as it stands in its field; refuses one that is bound to a key.
    private func bearerToken(
        _ token: TokenRecord, _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) -> UnsafeBufferPointer<UInt8>? {
        guard !token.isKeyBound, !token.isCertificateBound else { throw Self.boundToKey }
        let head = pointee.scratch.head
        guard head.pointee.authorizationCount == 1 else { return nil }
        let range = head.pointee.fields[head.pointee.authorizationIndex].value
        let value = UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
        guard case .bearer(let part) = AuthorizationField.parse(value.span) else { return nil }
        return UnsafeBufferPointer(rebasing: value[part.range])
    }

    /// The access token that an identity field carries, a client's or a session's; likewise.
    func shownAccessToken(_ token: TokenRecord, _ bytes: UnsafeMutablePointer<UInt8>) throws(Refused) -> [UInt8] {
        guard let state = token.session else { return try bearerToken(token, bytes).map(Array.init) ?? [] }
        guard state.proofs == nil else { throw Self.boundToKey }
        return state.session.accessToken?.reveal() ?? []
    }

    private static var boundToKey: Refused {
        Refused(
            .tokenBoundToKey, expected: "a token that may be passed on", found: "one that is bound to a key",
            check: "RS-25")
    }
}
