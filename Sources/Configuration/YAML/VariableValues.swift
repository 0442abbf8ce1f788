/// The environment variables that a configuration names in `variables`, and what they are put in the place of: `${NAME}`
/// within a value, and nothing else.
///
/// The text is read first, so that no value can say more than the one scalar that it stands in, whatever is in it.
struct VariableValues {
    static let key = "variables"

    private let problems: ProblemList
    /// Nil for a configuration that names none: then nothing is looked for.
    private var values: [String: String]?
    /// Where each that has a value is named.
    private var places: [(name: String, place: Place)] = []
    /// Named, without a value; told where they are named.
    private var missing: Set<String> = []
    private var used: Set<String> = []

    /// Those that the document names, as far as its list fits its shape, which is judged elsewhere.
    init(_ document: YAMLNode, _ sources: ConfigurationSources, _ problems: ProblemList) {
        self.problems = problems
        guard case .mapping(let entries) = document.content, let list = entries.first(where: { $0.key == Self.key }),
            case .sequence(let names) = list.value.content
        else { return }
        values = [:]
        let place = Place(position: list.keyPosition, path: Self.key)
        for (index, node) in names.enumerated() {
            guard case .scalar(let name, _) = node.content, PlainText.environmentVariable.fault(name) == nil else {
                continue
            }
            let place = place.element(index, at: node.position)
            let value = sources.environment(name)
            guard let fault = Self.fault(of: value) else {
                values?[name] = value
                problems.conceal(ConcealedValue(name: name, value: value ?? ""))
                places.append((name, place))
                continue
            }
            missing.insert(name)
            problems.error(
                at: place, expected: "a text in one line in the environment variable \(name)", found: fault,
                remedy: "set it for this process: a service's environment is not that of your shell")
        }
    }

    private static func fault(of value: String?) -> String? {
        guard let value else { return "no such variable" }
        if value.isEmpty { return "an empty variable" }
        if value.utf8.count > 4096 { return "more than 4KiB in it" }
        if value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            return "a line break or another control character in it"
        }
        // Filled in once: a second time nobody would expect.
        return value.contains("${") ? "${ in it" : nil
    }

    /// The same document with the values in the place of their names.
    mutating func fill(_ node: YAMLNode, at path: Place) -> YAMLNode {
        guard values != nil else { return node }
        var node = node
        switch node.content {
        case .scalar(let text, let isPlain):
            node.content = .scalar(filled(text, at: Place(position: node.position, path: path.path)), isPlain: isPlain)
        case .sequence(let elements):
            node.content = .sequence(
                elements.enumerated().map { fill($1, at: path.element($0, at: $1.position)) })
        case .mapping(let entries):
            node.content = .mapping(
                entries.map { entry in
                    // What is looked for before anything is filled in.
                    guard !path.path.isEmpty || ![Self.key, IncludedFiles.key].contains(entry.key) else { return entry }
                    var entry = entry
                    entry.value = fill(entry.value, at: path.key(Quoted.bare(entry.key), at: entry.keyPosition))
                    return entry
                })
        }
        return node
    }

    private mutating func filled(_ text: String, at place: Place) -> String {
        var rest = text[...]
        var filled = ""
        while let start = rest.firstRange(of: "${") {
            filled += rest[..<start.lowerBound]
            let end = rest[start.upperBound...].firstIndex(of: "}")
            let name = String(rest[start.upperBound..<(end ?? rest.endIndex)])
            if let end, let value = values?[name] {
                used.insert(name)
                filled += value
                rest = rest[rest.index(after: end)...]
                continue
            }
            if !missing.contains(name) {
                problems.error(
                    at: place, expected: end == nil ? "} behind ${" : "a variable that  variables  names",
                    found: Quoted.text(end == nil ? text : "${\(name)}"),
                    remedy: end == nil
                        ? "write it as ${NAME}"
                        : PlainText.environmentVariable.fault(name) == nil
                            ? "add \(Quoted.bare(name)) to  variables  at the head of the file"
                            : "only a name stands between the braces: no default and no command")
            }
            problems.excuse(place)
            filled += "${"
            rest = rest[start.upperBound...]
        }
        return filled + rest
    }

    /// Notes those that nothing uses: somebody meant something by them.
    func warnOfUnused() {
        for (name, place) in places where !used.contains(name) {
            problems.warning(
                at: place, expected: "a value with ${\(name)} in it", found: "none",
                remedy: "leave \(name) out, or say where it belongs")
        }
    }
}
