import Access
import Bytes
import HTTPMessage
import JOSE
import Login

/// A document of the gateway's own.
enum Publication {
    /// What is said of one protected resource, by its place among the published documents (RFC 9728).
    case resource(Int)
    /// The keys of identity assertions and of our clients, as a JWK Set.
    case assertionKeys
    /// One of the paths of logins.
    case login(LoginRequest.Endpoint)
}

/// The content of an answer that the gateway makes itself.
struct AnswerContent {
    let bytes: [UInt8]
    /// Not for HEAD, whose answer says its length alone.
    let isSent: Bool
}

extension WorkerRef {
    /// The document that a request asks for; nil for nearly all, which costs them a comparison of one byte.
    ///
    /// The paths below the well-known one and below `/.portcullis/` are the gateway's: what is not there is answered
    /// 404 and never forwarded (MD-25), however it is spelt, unless a route names such a well-known path itself.
    func publication(_ head: HeadView, _ client: ClientRef) throws(Refused) -> Publication? {
        let path = head.path
        guard path.count > 2 else { return nil }
        switch path[1] {
        // `/.…` itself, an escape that may stand for the dot, and a slash that some reader merges.
        case UInt8(ascii: "."), UInt8(ascii: "%"), UInt8(ascii: "/"): return try reservedPublication(head, client)
        default: return nil
        }
    }

    private func reservedPublication(_ head: HeadView, _ client: ClientRef) throws(Refused) -> Publication? {
        let path = head.path
        guard let reserved = ReservedPath(path) else { return nil }
        try checkAuthority(head, client)
        switch reserved {
        case .protectedResource:
            let found = pointee.policy.published.find(
                listener: Int(client.pointee.listener), authority: head.authority, path: path, query: head.query)
            if let found { return .resource(found) }
            if let route = pointee.policy.routes.match(path),
                route.pointee.settings.path.hasPrefix(ReservedPath.protectedResourceMetadata)
            {
                return nil
            }
        case .gateway:
            if let endpoint = pointee.policy.loginPaths.endpoint(path) { return .login(endpoint) }
            if pointee.identities.assertionKeys != nil || !pointee.policy.clientKeys.isEmpty,
                path.isEqual(to: ReservedPath.assertionKeys.utf8.span)
            {
                return .assertionKeys
            }
        }
        try PathPatterns.checkPath(path, [])
        throw Refused(
            .routeUnknown, expected: "a document that is published here",
            found: String(copying: path.extracting(first: 64)),
            check: reserved == .protectedResource ? "MD-20" : "MD-25")
    }

    /// Answers with a document of the gateway's own, to anybody: no token is asked for (RFC 9728 §3.1).
    func publish(_ exchange: ExchangeRef, _ publication: Publication) {
        let allowed = "GET, HEAD, OPTIONS"
        // Read by scripts of any origin, and never with anybody's credentials (MD-24).
        let access = ("Access-Control-Allow-Origin", "*")
        switch exchange.pointee.method {
        case .get, .head: break
        case .options:
            return answer(
                exchange, status: 204,
                fields: [
                    ("Allow", allowed), access, ("Access-Control-Allow-Methods", allowed),
                    ("Access-Control-Allow-Headers", "*"), ("Access-Control-Max-Age", "300"),
                ])
        default:
            exchange.pointee.refusal = .methodNotAllowed
            let name = MethodSet.name(of: exchange.pointee.method)
            logRefusal(
                exchange,
                Refused(
                    .methodNotAllowed, expected: allowed, found: name.isEmpty ? "another method" : name, check: "MD-20")
            )
            return answer(exchange, status: 405, fields: [("Allow", allowed), access])
        }
        var age = 300
        let type: String
        let body: [UInt8]
        switch publication {
        case .resource(let index):
            type = "application/json"
            body = pointee.policy.published.documents[index].body
        case .assertionKeys:
            // RFC 7517 §8.5 has a type of its own, and servers are about that refuse every other one than this.
            type = "application/json"
            body = JWKSetWriter.write((pointee.identities.assertionKeys?.published ?? []) + pointee.policy.clientKeys)
            age = min(pointee.identities.assertionKeys?.maximumAgeSeconds ?? 300, 300)
        case .login: return
        }
        answer(
            exchange, status: 200, fields: [("Content-Type", type), ("Cache-Control", "max-age=\(age)"), access],
            content: AnswerContent(bytes: body, isSent: exchange.pointee.method == .get))
    }

    /// What challenges say of where the route's metadata is; nil when it publishes none (RFC 9728 §5.1).
    func resourceMetadata(_ exchange: ExchangeRef) -> String? {
        guard let route = exchange.pointee.route else { return nil }
        let listener = Int(exchange.pointee.client.pointee.listener)
        guard route.pointee.resourceMetadata.indices.contains(listener) else { return nil }
        let url = route.pointee.resourceMetadata[listener]
        return url.isEmpty ? nil : url
    }
}
