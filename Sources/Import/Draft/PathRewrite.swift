import Configuration

/// How an upstream knows the paths of a route: another prefix, or one more before all of them.
struct PathRewrite: Sendable, Equatable {
    /// `strip_prefix` or `replace_prefix`; nil where paths keep theirs.
    var line: String?
    /// What stands before what is left, in the upstream's URL.
    var base = ""

    /// What a server does that puts `target` in the place of `path` where a request's path begins so; nil for what is no
    /// change of whole segments.
    init?(of path: String, to target: String) {
        let endsAlike = path.hasSuffix("/") == target.hasSuffix("/")
        // `/app` that becomes `/` sends  //x  for  /app/x ; nobody means that.
        guard endsAlike || target == "/" && path != "/" else { return nil }
        self.init(prefix: Self.withoutSlash(path), to: Self.withoutSlash(target))
    }

    /// The same of prefixes without a slash at their ends; an empty one is none.
    init?(prefix: String, to target: String) {
        if prefix == target { return }
        guard AcceptedText.isGood(prefix, for: .prefix) else {
            guard prefix.isEmpty, AcceptedText.isGood(target, for: .prefix) else { return nil }
            base = target
            return
        }
        if target.isEmpty {
            line = "strip_prefix: \(YAMLText.scalar(prefix))"
        } else if AcceptedText.isGood(target, for: .prefix) {
            line = "replace_prefix: { from: \(YAMLText.scalar(prefix)), to: \(YAMLText.scalar(target)) }"
        } else {
            return nil
        }
    }

    static func withoutSlash(_ path: String) -> String { path.hasSuffix("/") ? String(path.dropLast()) : path }
}

/// A regular expression that puts one prefix in the place of another: `^/a/(.*)$` and `/b/$1`.
struct PrefixPattern: Sendable, Equatable {
    /// The paths that it fits, each a path of ours.
    var paths: [String]
    /// What follows, without a slash at its end, comes behind this.
    var target: String
    /// The prefix that goes away, without a slash at its end.
    var prefix: String

    /// Nil for every other expression, and for a target that is more than what is taken and something before it.
    init?(_ pattern: String, to target: String) {
        let ends = ["/(.*)$", "/(.*)", "(/.*)$", "(/.*)", "(/.*)?$", "(/.*)?"]
        guard pattern.hasPrefix("^"), target.hasSuffix("$1"), let end = ends.first(where: pattern.hasSuffix) else {
            return nil
        }
        let before = String(target.dropLast(2))
        let takesSlash = end.hasPrefix("(")
        guard takesSlash != before.hasSuffix("/"), !before.utf8.contains(UInt8(ascii: "$")) else { return nil }
        let literal = String(pattern.dropLast(end.utf8.count))
        if literal == "^" {
            guard !end.hasPrefix("(/.*)?") else { return nil }
            (paths, prefix) = (["/"], "")
        } else {
            // The expression of that path alone says whether it is plain.
            guard let own = PlainPattern.paths(literal + "$"), own.count == 1 else { return nil }
            prefix = own[0]
            paths = end.hasPrefix("(/.*)?") ? [prefix, prefix + "/"] : [prefix + "/"]
        }
        self.target = PathRewrite.withoutSlash(before)
    }
}
