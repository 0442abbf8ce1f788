/// One setting of a foreign configuration: its name, its values, and where it stands.
struct ForeignSetting: Sendable {
    var name: String
    var values: [String]
    var place: ForeignPlace
    /// What it is called there.
    var spelling: String
}

/// A directive of nginx or of Apache, with what stands in its block.
struct Directive: Sendable {
    var name: String
    var arguments: [String]
    var place: ForeignPlace
    var children: [Directive] = []
    var isBlock = false
    /// As it is written, where that makes no difference.
    var spelling: String?

    /// The first child of a name.
    func first(_ name: String) -> Directive? { children.first { $0.name == name } }

    /// All children of a name.
    func all(_ name: String) -> [Directive] { children.filter { $0.name == name } }

    /// All directives of a name in this one, however deep.
    func every(_ name: String) -> [Directive] {
        children.flatMap { ($0.name == name ? [$0] : []) + $0.every(name) }
    }

    /// The first argument of the first directive of a name in this one.
    func named(_ name: String) -> String? { every(name).first?.arguments.first }

    /// Whether this or anything in it is of that name.
    func contains(_ name: String) -> Bool { self.name == name || children.contains { $0.contains(name) } }
}

/// Directives while they are read: bounded in number and depth, so that no text costs more than its bytes.
struct DirectiveStack {
    private static let maximumDepth = 32
    private static let maximumCount = 20_000

    private var open: [Directive]
    private var count = 0

    init(_ root: ForeignPlace) {
        open = [Directive(name: "", arguments: [], place: root, isBlock: true)]
    }

    var depth: Int { open.count - 1 }
    var current: Directive { open[open.count - 1] }

    mutating func add(_ directive: Directive) throws(ImportRefusal) {
        count += 1
        guard count <= Self.maximumCount else {
            throw ImportRefusal(
                directive.place, expected: "at most \(Self.maximumCount) directives", found: "more",
                remedy: "give the part that has to do with logins")
        }
        open[open.count - 1].children.append(directive)
    }

    mutating func begin(_ directive: Directive) throws(ImportRefusal) {
        guard depth < Self.maximumDepth else {
            throw ImportRefusal(
                directive.place, expected: "at most \(Self.maximumDepth) blocks within each other", found: "more",
                remedy: "give the part that has to do with logins")
        }
        open.append(directive)
    }

    mutating func end() throws(ImportRefusal) {
        let closed = open.removeLast()
        try add(closed)
    }

    /// The directives at the top, once no block is open.
    var top: [Directive] { open[0].children }
}
