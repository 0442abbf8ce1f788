/// What holds at one place of an nginx configuration: directives of the block itself, else of those around it.
struct NginxScope {
    /// From the inside out.
    let blocks: [Directive]
    /// What stands in each, by name.
    private let byName: [[String: [Directive]]]

    init(blocks: [Directive]) {
        self.blocks = blocks
        byName = blocks.map { Dictionary(grouping: $0.children, by: \.name) }
    }

    private init(_ block: Directive, inside outer: NginxScope) {
        blocks = [block] + outer.blocks
        byName = [Dictionary(grouping: block.children, by: \.name)] + outer.byName
    }

    /// All directives of a name in the innermost block that has any, as nginx inherits them.
    func all(_ name: String) -> [Directive] { byName.lazy.compactMap { $0[name] }.first ?? [] }

    func first(_ name: String) -> Directive? { all(name).first }

    func inside(_ block: Directive) -> NginxScope { NginxScope(block, inside: self) }

    /// Where the request is asked about: the argument of `auth_request`, unless it is off.
    var question: Directive? {
        guard let directive = first("auth_request"), directive.arguments.first != "off" else { return nil }
        return directive
    }

    /// Files whose contents could hold anything, a check among it.
    var unreadFiles: Directive? {
        let harmless = ["mime.types", "_params", "proxy.conf", "options-ssl-nginx.conf"]
        for block in blocks where block.name == "server" || block.name == "location" {
            for directive in block.all("include") {
                let file = directive.arguments.first ?? ""
                if !harmless.contains(where: file.hasSuffix) { return directive }
            }
        }
        return nil
    }

    /// What lets fewer pass than a login does, and has no key of ours.
    var restriction: Directive? {
        let names = [
            "deny", "allow", "auth_basic", "auth_jwt", "limit_except", "satisfy", "secure_link", "valid_referers",
            "internal", "access_by_lua_block", "access_by_lua_file", "access_by_lua", "js_access", "auth_delay",
            "rewrite_by_lua_block", "rewrite_by_lua_file",
        ]
        let knowsVisitors = visitors != nil
        for name in names {
            guard let found = first(name), found.arguments.first != "off" else { continue }
            if knowsVisitors, ["deny", "allow", "satisfy"].contains(name) { continue }
            if name == "satisfy", found.arguments.first == "all" { continue }
            if name == "allow", found.arguments.first == "all" { continue }
            return found
        }
        return conditions.first { !Self.isRedirect($0) }
    }

    /// Networks whose people need not sign in: those allowed, where all others are denied and one of both is enough.
    var visitors: [String]? {
        guard first("satisfy")?.arguments == ["any"], question != nil,
            let block = blocks.first(where: { $0.first("allow") != nil || $0.first("deny") != nil })
        else { return nil }
        let rules = block.children.filter { $0.name == "allow" || $0.name == "deny" }
        let allowed = rules.dropLast().compactMap { $0.name == "allow" ? $0.arguments.first : nil }
        guard rules.last?.name == "deny", rules.last?.arguments == ["all"], allowed.count == rules.count - 1,
            !allowed.contains("all")
        else { return nil }
        return allowed
    }

    /// Conditions and rewrites of this block and of the server's.
    var conditions: [Directive] {
        blocks.filter { $0.name == "server" || $0.name == "location" }.flatMap { $0.all("if") }
    }

    /// Whether a condition leads elsewhere and does nothing else.
    static func isRedirect(_ condition: Directive) -> Bool {
        condition.children.allSatisfy { child in
            switch child.name {
            case "return": ["301", "302", "303", "307", "308"].contains(child.arguments.first ?? "")
            case "rewrite": ["permanent", "redirect"].contains(child.arguments.last ?? "")
            case "set", "add_header", "access_log": true
            default: false
            }
        }
    }
}
