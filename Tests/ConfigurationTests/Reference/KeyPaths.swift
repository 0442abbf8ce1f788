@testable import Configuration

/// Paths of keys, with `*` for names that the operator chooses and nothing for places in lists.
enum KeyPaths {
    /// Every key that the description has.
    static func described(_ shape: Shape, below path: String = "") -> [String] {
        keys(of: shape, below: path).map(\.path)
    }

    /// Every key with a default, and the default.
    static func standards(_ shape: Shape) -> [(path: String, standard: String)] {
        keys(of: shape, below: "").compactMap { path, key in
            guard case .standard(let value) = key.presence else { return nil }
            return (path, value)
        }
    }

    /// Every key that a document has where the description has keys of its own, and its value.
    static func written(_ node: YAMLNode, _ shape: Shape, below path: String = "") -> [(path: String, value: YAMLNode)]
    {
        switch (shape, node.content) {
        case (.object(let object), .mapping(let entries)):
            entries.flatMap { entry in
                let path = join(path, entry.key)
                return [(path, entry.value)]
                    + (object[entry.key].map { written(entry.value, $0.shape, below: path) } ?? [])
            }
        case (.entries(let described), .mapping(let entries)):
            entries.flatMap { written($0.value, described.value, below: join(path, "*")) }
        case (.list(let list), .sequence(let elements)):
            elements.flatMap { written($0, list.element, below: path) }
        case (.either(let shapes), _):
            shapes.first { $0.accepts(kindOf: node) }.map { written(node, $0, below: path) } ?? []
        default: []
        }
    }

    private static func keys(of shape: Shape, below path: String) -> [(path: String, key: KeyDescription)] {
        switch shape {
        case .object(let object):
            object.keys.flatMap { key in
                [(join(path, key.name), key)] + keys(of: key.shape, below: join(path, key.name))
            }
        case .entries(let entries): keys(of: entries.value, below: join(path, "*"))
        case .list(let list): keys(of: list.element, below: path)
        case .either(let shapes): shapes.flatMap { keys(of: $0, below: path) }
        case .json, .text, .word, .scalar, .integer, .duration, .byteCount, .boolean, .onlyTrue: []
        }
    }

    private static func join(_ path: String, _ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
}
