import Access
import Bytes
import Gateway

/// `redirect` and `respond` of a route: what it answers without an upstream (ECO-69).
enum RouteAnswerSection {
    static let mostContent = 16 << 10
    static let keys = ["redirect", "respond"]

    private static let target = TextShape(
        expected: "a URL such as https://shop.example.com/new/, or a path such as /new/",
        pattern: "^(https?:/)?/[^?#@\\\\\\u0000-\\u0020]*$"
    ) { text in
        if text.hasPrefix("/") { return fault(ofPath: text) }
        guard let address = WebAddress(text), !text.utf8.contains(UInt8(ascii: "@")) else {
            return TextFault(remedy: "write an absolute URL, or a path that begins with /")
        }
        guard !address.hasQuery, !address.hasFragment else {
            return TextFault(remedy: "leave out query and fragment: the request's own query is kept")
        }
        return address.path.isEmpty ? nil : fault(ofPath: address.path)
    }

    private static func fault(ofPath path: String) -> TextFault? {
        let whole = path.hasSuffix("/") ? String(path.dropLast()) : path
        return whole.isEmpty || PathRewriteSection.isPlain(whole)
            ? nil : TextFault(remedy: "write a path of whole segments, without query, dots and needless escapes")
    }

    private static let redirect = ObjectShape(
        noun: "a redirect",
        keys: [
            KeyDescription(
                "to", .text(target), .required, example: "https://shop.example.com/new/",
                "Where it leads: a URL, or a path here. What follows a route's path with / at its end is kept, and the query."
            ),
            KeyDescription(
                "status", .integer(301...308), .standard("308"),
                "The status: 308 and 301 for ever, 307 and 302 for now; 303 has clients ask with GET."),
        ])

    private static let respond = ObjectShape(
        noun: "an answer",
        keys: [
            KeyDescription("status", .integer(200...599), .standard("200"), "The status of the answer."),
            KeyDescription(
                "type", .text(type), .standard("text/plain; charset=utf-8"), "The media type of its content."),
            KeyDescription(
                "body", .text(content), .optional, example: "ok",
                "Its content, as text of at most 16KiB; none by default."),
            KeyDescription(
                "file", .text(PlainText.file), .optional, example: "security.txt",
                "The file with its content, in place of body; it is read when the configuration is."),
        ])

    private static let type = TextShape(expected: "a media type such as text/html", pattern: "^[!-~]+/[ -~]+$") {
        text in
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let fits =
            text.utf8.count <= 128 && parts.count == 2 && !parts[0].isEmpty && parts[0].utf8.allSatisfy(ASCII.isToken)
            && parts[1].utf8.first.map(ASCII.isToken) == true && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            && text.utf8.last != 0x20
        return fits ? nil : TextFault(remedy: "write type and subtype, such as text/plain; charset=utf-8")
    }

    private static let content = TextShape(expected: "a text of at most 16KiB", pattern: "^[\\s\\S]*$") { text in
        text.utf8.count <= mostContent ? nil : TextFault(remedy: "write less, or let a server answer")
    }

    static let rows: [Setting<RouteSettings>] = [
        .key(
            "redirect", .object(redirect), .optional, example: "{ to: \"https://shop.example.com/new/\" }",
            "Where clients are sent, in place of an upstream."),
        .key(
            "respond", .object(respond), .optional, example: "{ body: ok }",
            "What clients get, in place of what an upstream would answer."),
    ]

    static func translate(_ route: CheckedObject, _ context: RouteContext) -> RouteAnswerSettings? {
        let problems = context.translation.problems
        let said = (["upstream"] + keys).filter(route.says)
        guard let key = said.last, key != "upstream" else { return nil }
        if said.count > 1 {
            problems.error(
                at: route.place(of: key), expected: "one of upstream, redirect, respond",
                found: said.joined(separator: " and "), remedy: "keep one of them")
        }
        for other in ofUpstreams where route.says(other) {
            problems.error(
                at: route.place(of: other), expected: "a route with an upstream beside \(other)", found: key,
                remedy: "leave \(other) out: nothing is forwarded")
        }
        if route.text("cors")?.text == "upstream" {
            problems.error(
                at: route.place(of: "cors"), expected: "origins, where there is no upstream", found: "upstream",
                remedy: "write  cors: { origins: [https://app.example.com] }  or leave it out")
        }
        if let object = route.object("redirect") { return redirect(object, route, context) }
        return route.object("respond").flatMap { respond($0, context.translation) }
    }

    /// What says how to go on with an upstream.
    private static let ofUpstreams = [
        "websocket", "strip_prefix", "replace_prefix", "map_responses", "identity", "upstream_credential",
        "upstream_401", "error_pages", "request_fields", "grpc", "request_trailers", "client_cert", "mcp",
    ]

    private static func redirect(
        _ object: CheckedObject, _ route: CheckedObject, _ context: RouteContext
    ) -> RouteAnswerSettings? {
        let problems = context.translation.problems
        let status = object.integer("status") ?? 308
        if (304...306).contains(status) {
            problems.error(
                at: object.place(of: "status"), expected: "301, 302, 303, 307 or 308", found: "\(status)",
                remedy: "308 keeps method and content for ever, 307 for now")
        }
        if let own = route.text("path"), own.text.hasSuffix("/"), SegmentedPath(own.text).hasWildcard {
            problems.error(
                at: own.place, expected: "a path without *, or without / at its end, where it is redirected",
                found: Quoted.text(own.text),
                remedy: "what follows the path is kept, and nobody says what of it stood for *: write a route for each")
        }
        guard let target = object.text("to") else { return nil }
        let address = WebAddress(target.text)
        let path = address?.path ?? target.text
        if let own = route.text("path")?.text, SegmentedPath(own).fits(path.isEmpty ? "/" : path) {
            let (expected, found) = ("a place that is not the route's own", Quoted.text(target.text))
            if address == nil {
                problems.error(
                    at: target.place, expected: expected, found: found,
                    remedy: "write another path: this one would be redirected again")
            } else if let address, isOwn(address, of: route, context) {
                let site = route.says("host") ? "its host" : "a listener"
                problems.warning(
                    at: target.place, expected: expected, found: "\(found), below the public_url of \(site)",
                    remedy: "make sure that somebody else answers there, or browsers will go round")
            }
        }
        return .redirect(status: UInt16(clamping: status), origin: address?.origin ?? "", path: path)
    }

    /// Whether a URL is at a place where the route itself answers.
    private static func isOwn(_ address: WebAddress, of route: CheckedObject, _ context: RouteContext) -> Bool {
        guard route.says("host") else { return context.listeners.contains { $0.publicURL == address.origin } }
        guard let host = context.hosts.place(of: route).map({ context.hosts.settings[$0] }) else { return false }
        return host.publicURL.hasPrefix("https:") == address.isSecure
            && address.authorities.contains { host.answers($0) }
    }

    private static func respond(_ object: CheckedObject, _ translation: Translation) -> RouteAnswerSettings? {
        let problems = translation.problems
        let status = object.integer("status") ?? 200
        var bytes = Array((object.text("body")?.text ?? "").utf8)
        if let path = object.text("file") {
            if object.says("body") {
                problems.error(
                    at: path.place, expected: "body or file", found: "both", remedy: "keep one of them")
            }
            guard let file = translation.file(path, noun: "the content of an answer", limit: mostContent) else {
                return nil
            }
            bytes = file.bytes
        }
        if [204, 205, 304].contains(status), !bytes.isEmpty {
            problems.error(
                at: object.place(of: object.says("file") ? "file" : "body"), expected: "no content with \(status)",
                found: "some", remedy: "leave it out, or write  status: 200")
        }
        return .content(
            status: UInt16(clamping: status), type: object.text("type")?.text ?? "text/plain; charset=utf-8", bytes)
    }
}
