extension Shape {
    /// What a message says was expected, with its article.
    var expectation: String {
        switch self {
        case .text(let text): text.expected
        case .word(let words, _): words.count == 1 ? "the word \(words[0])" : "one of \(words.joined(separator: ", "))"
        case .scalar: "a text, true, false or a whole number"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .duration(let duration):
            "a duration from \(DurationText.text(duration.range.lowerBound)) to "
                + DurationText.text(duration.range.upperBound)
                + (duration.step == .seconds ? " in whole seconds" : "")
        case .byteCount(let range, let acceptsUnlimited):
            "a size from \(ByteCountText.text(range.lowerBound)) to \(ByteCountText.text(range.upperBound))"
                + (acceptsUnlimited ? " or unlimited" : "")
        case .boolean: "true or false"
        case .onlyTrue: "true"
        case .list(let list): "a list of \(list.noun)"
        case .object(let object): object.noun
        case .entries(let entries): "a mapping of \(entries.noun)"
        case .json(let json): json.expected
        case .either(let shapes): shapes.map(\.expectation).joined(separator: " or ")
        }
    }

    /// Whether a node of this kind is what the shape wants, whatever its content.
    func accepts(kindOf node: YAMLNode) -> Bool {
        switch (self, node.content) {
        case (.list, .sequence), (.object, .mapping), (.entries, .mapping): true
        case (.list, _), (.object, _), (.entries, _): false
        case (.json(let json), .mapping): json.form == .mapping
        case (.json(let json), .sequence): json.form == .listOfMappings
        case (.json, .scalar): false
        case (.either(let shapes), _): shapes.contains { $0.accepts(kindOf: node) }
        case (_, .scalar): true
        case (_, .sequence), (_, .mapping): false
        }
    }
}
