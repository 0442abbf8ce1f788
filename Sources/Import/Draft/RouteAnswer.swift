import Configuration
import HTTPMessage

/// What a route answers without an upstream.
enum RouteAnswer: Sendable, Equatable {
    case redirect(to: String, status: Int)
    case content(status: Int, type: String, body: String)

    private static let mostContent = 16 << 10

    /// A redirect of a route with that path; nil where it leads to the route itself, or to no place that ours can name.
    static func redirect(_ path: String, to target: String, status: Int, own hosts: [String]) -> RouteAnswer? {
        guard [301, 302, 303, 307, 308].contains(status), target.utf8.count <= 1024 else { return nil }
        if target.hasPrefix("/") {
            guard RouteDraft.isPath(target), !isBelow(target, path) else { return nil }
            return .redirect(to: target, status: status)
        }
        guard let url = URI(target), url.scheme == "http" || url.scheme == "https", url.query == nil,
            url.fragment == nil, !url.host.isEmpty, url.path.isEmpty || RouteDraft.isPath(url.path)
        else { return nil }
        guard !hosts.contains(url.authority) || !isBelow(url.path.isEmpty ? "/" : url.path, path) else { return nil }
        return .redirect(to: "\(url.scheme)://\(url.authority)\(url.path)", status: status)
    }

    /// A fixed answer; nil for a status that is none, and for more content than a route has.
    static func content(status: Int, type: String?, body: String) -> RouteAnswer? {
        guard (200...599).contains(status), body.utf8.count <= mostContent else { return nil }
        let isType = { (text: String) in
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            return text.utf8.count <= 64 && parts.count == 2
                && parts.allSatisfy { part in
                    !part.isEmpty
                        && part.utf8.allSatisfy {
                            $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A || $0 >= 0x30 && $0 <= 0x39
                                || ".+-".utf8.contains($0)
                        }
                }
        }
        let hasContent = ![204, 205, 304].contains(status)
        return .content(
            status: status, type: type.map { isType($0) ? $0 : "" } ?? "", body: hasContent ? body : "")
    }

    private static func isBelow(_ path: String, _ own: String) -> Bool {
        path == own || own.hasSuffix("/") && (path + "/" == own || path.hasPrefix(own))
    }

    /// The key with its value.
    var text: String {
        switch self {
        case .redirect(let target, let status):
            return "redirect: { to: \(YAMLText.scalar(target)), status: \(status) }"
        case .content(let status, let type, let body):
            var parts = ["status: \(status)"]
            if !type.isEmpty { parts.append("type: \(YAMLText.scalar(type))") }
            if !body.isEmpty { parts.append("body: \(YAMLText.scalar(body))") }
            return "respond: { \(parts.joined(separator: ", ")) }"
        }
    }
}
