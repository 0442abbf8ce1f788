import Access
import Bytes
import HTTPMessage
import JOSE

/// The content of an answer that the gateway makes itself.
struct AnswerContent {
    let bytes: [UInt8]
    /// Not for HEAD, whose answer says its length alone.
    let isSent: Bool
}

extension WorkerRef {
    /// Answers with a document of the gateway's own, to anybody: no token is asked for (RFC 9728 §3.1).
    func publish(_ exchange: ExchangeRef, _ publication: Publication) {
        exchange.pointee.isPublished = true
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
                    .methodNotAllowed, expected: .text(allowed),
                    found: .text(name.isEmpty ? "another method" : name), check: "MD-20"))
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
        }
        answer(
            exchange, status: 200, fields: [("Content-Type", type), ("Cache-Control", "max-age=\(age)"), access],
            content: AnswerContent(bytes: body, isSent: exchange.pointee.method == .get))
    }

    /// What challenges say of where the route's metadata is; nil when it publishes none (RFC 9728 §5.1).
    func resourceMetadata(_ exchange: ExchangeRef) -> String? {
        guard let route = exchange.pointee.findings.route else { return nil }
        let site = Int(exchange.pointee.findings.site) - route.pointee.firstSite
        guard route.pointee.resourceMetadata.indices.contains(site) else { return nil }
        let url = route.pointee.resourceMetadata[site]
        return url.isEmpty ? nil : url
    }
}
