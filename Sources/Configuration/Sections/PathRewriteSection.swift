import Access
import Bytes
import HTTPMessage

/// `strip_prefix`, `replace_prefix` and the path of an upstream's URL: how the upstream knows a route's paths (ECO-68).
enum PathRewriteSection {
    /// Whole segments of a path, as requests are matched.
    static let prefix = TextShape(
        expected: "a prefix such as /v1", pattern: "^/[^?#\\u0000-\\u0020]*[^/?#\\u0000-\\u0020]$"
    ) { text in
        if let fault = RoutePathText.shape.fault(text) { return fault }
        // Nobody could tell what stands there.
        guard !text.contains("*") else {
            return TextFault(remedy: "leave out * and what follows: the segments before it may go, or be others")
        }
        guard !text.hasSuffix("/") else {
            return text == "/"
                ? TextFault(remedy: "leave it out: nothing is taken away")
                : TextFault(remedy: "leave out the / at its end")
        }
        return isCanonical(text)
            ? nil : TextFault(remedy: "write it without dot segments, empty segments and needless escapes")
    }

    private static let replacement = ObjectShape(
        noun: "a mapping with from and to",
        keys: [
            KeyDescription(
                "from", .text(prefix), .required, example: "/v1", "What clients see: whole segments of the path."),
            KeyDescription("to", .text(prefix), .required, example: "/api", "What the upstream gets in its place."),
        ])

    static let rows: [Setting<RouteSettings>] = [
        .key(
            "strip_prefix", .text(prefix), .optional, example: "/v1",
            "What is taken away from the path for the upstream: whole segments, of which nothing is decoded."),
        .key(
            "replace_prefix", .object(replacement), .optional, example: "{ from: /v1, to: /api }",
            "What the upstream gets in place of such a prefix."),
        .key(
            "map_responses", .boolean, .optional, example: "true",
            "Tells clients the upstream's paths as they know them, in Location, Content-Location and cookies."),
    ]

    static func translate(_ route: CheckedObject, _ problems: ProblemList) -> PathRewriteSettings? {
        let base = pathOfUpstream(route, problems)
        let replaced = route.object("replace_prefix")
        let taken = route.text("strip_prefix") ?? replaced?.text("from")
        if let taken, let path = route.text("path") { judge(taken, path: path.text, problems) }
        if route.says("strip_prefix"), route.says("replace_prefix") {
            problems.error(
                at: route.place(of: "replace_prefix"), expected: "strip_prefix or replace_prefix", found: "both",
                remedy: "leave strip_prefix out: from is taken away too")
        }
        let upstreamPrefix = base + (replaced?.text("to")?.text ?? "")
        let publicPrefix = taken?.text ?? ""
        if publicPrefix == upstreamPrefix, !publicPrefix.isEmpty {
            problems.error(
                at: taken?.place ?? route.place(of: "path"), expected: "another path at the upstream",
                found: "\(Quoted.text(publicPrefix)), which is the same",
                remedy: "leave it out: paths are forwarded as they are")
        }
        guard publicPrefix != upstreamPrefix else {
            if route.says("map_responses"), publicPrefix.isEmpty {
                problems.error(
                    at: route.place(of: "map_responses"), expected: "a route with a prefix", found: "one without",
                    remedy: "say strip_prefix, replace_prefix or an upstream with a path, or leave map_responses out")
            }
            return nil
        }
        return PathRewriteSettings(
            publicPrefix: publicPrefix, upstreamPrefix: upstreamPrefix,
            mapsResponses: route.flag("map_responses") ?? true)
    }

    /// A prefix that not every path of the route has would leave some of them without a place.
    private static func judge(_ prefix: PlacedText, path: String, _ problems: ProblemList) {
        guard path != prefix.text, !path.hasPrefix(prefix.text + "/") else { return }
        problems.error(
            at: prefix.place, expected: "a prefix of whole segments that \(Quoted.text(path)) begins with",
            found: Quoted.text(prefix.text),
            remedy: "write a part of the route's path, or a route with a path such as \(prefix.text)/")
    }

    /// The path of the upstream's URL, without a slash at its end; all servers have the same.
    private static func pathOfUpstream(_ route: CheckedObject, _ problems: ProblemList) -> String {
        let texts = route.object("upstream").map(UpstreamPoolSection.texts) ?? route.texts("upstream")
        var first: String?
        for text in texts {
            var path = WebAddress(text.text)?.path ?? ""
            if path.hasSuffix("/") { path.removeLast() }
            if !path.isEmpty, prefix.fault(path) != nil {
                problems.error(
                    at: text.place, expected: "a URL whose path has whole segments and no needless escapes",
                    found: Quoted.text(text.text), remedy: "write it as  http://127.0.0.1:3001/base")
                return ""
            }
            if let first, first != path {
                problems.error(
                    at: text.place, expected: "the same path at all servers", found: Quoted.text(text.text),
                    remedy: "write \(first.isEmpty ? "no path" : first) at all of them: they answer alike")
            }
            first = first ?? path
        }
        return first ?? ""
    }

    /// Whether a path is whole segments without a slash at the end, as requests are matched.
    static func isPlain(_ text: String) -> Bool { prefix.fault(text) == nil }

    private static func isCanonical(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard PathPolicy.refusal(of: bytes.span, allowing: []) == nil else { return false }
        var canonical: [UInt8] = []
        PathPolicy.appendCanonical(bytes.span, mergingSlashes: true, to: &canonical)
        return canonical == bytes
    }
}
