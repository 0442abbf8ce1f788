/// Compares nodes with shapes: what fits comes back typed, what does not becomes a problem.
struct ShapeCheck {
    let problems: ProblemList

    /// The typed value, or nil after at least one problem has been noted for the node itself.
    ///
    /// `key` is the description that the node answers to, or stands below: its example makes the remedy.
    func check(_ node: YAMLNode, _ shape: Shape, at place: Place, for key: KeyDescription?) -> CheckedValue? {
        switch (shape, node.content) {
        case (.either(let shapes), _):
            guard let fitting = shapes.first(where: { $0.accepts(kindOf: node) }) else {
                return misfit(node, shape, at: place, for: key)
            }
            return check(node, fitting, at: place, for: key)
        case (.list(let list), .sequence(let elements)):
            return checkList(elements, list, at: place, for: key)
        case (.object(let object), .mapping(let entries)):
            return CheckedValue(place: place, content: .object(checkObject(entries, object, at: place)))
        case (.entries(let described), .mapping(let entries)):
            return checkEntries(entries, described, at: place, for: key)
        case (.json(let json), _):
            guard json.accepts(node) else { return misfit(node, shape, at: place, for: key) }
            return JSONCheck(problems: problems).check(node, json, at: place)
        case (.list, _), (.object, _), (.entries, _), (_, .sequence), (_, .mapping):
            return misfit(node, shape, at: place, for: key)
        case (_, .scalar(let text, let isPlain)):
            let scalar = ScalarCheck(text: text, meaning: ScalarValue(text, isPlain: isPlain), shape: shape)
            return outcome(of: scalar, node, at: place, for: key)
        }
    }

    private func outcome(
        of scalar: ScalarCheck, _ node: YAMLNode, at place: Place, for key: KeyDescription?
    ) -> CheckedValue? {
        guard !problems.isExcused(place) else { return nil }
        let variable = TemplateText.variable(in: scalar.text)
        switch scalar.outcome {
        case .fits(let content):
            if let variable {
                problems.warning(
                    at: place, expected: scalar.shape.expectation, found: "\(Quoted.text(variable)) as it is written",
                    remedy: TemplateText.remedy)
            }
            return CheckedValue(place: place, content: content)
        case .fault(let fault):
            if variable == nil, let mapping = mappingMeant(scalar.text, key) {
                problems.error(
                    at: place, expected: key?.shape.expectation ?? scalar.shape.expectation, found: node.found,
                    remedy: mapping)
                return nil
            }
            let expected = variable == nil ? fault.expected : nil
            problems.error(
                at: place, expected: expected ?? scalar.shape.expectation, found: node.found,
                remedy: variable == nil ? fault.remedy : TemplateText.remedy)
            return nil
        case .misfit:
            guard variable != nil else { return misfit(node, scalar.shape, at: place, for: key) }
            problems.error(
                at: place, expected: scalar.shape.expectation, found: node.found, remedy: TemplateText.remedy)
            return nil
        }
    }

    private func checkList(
        _ elements: [YAMLNode], _ list: ListShape, at place: Place, for key: KeyDescription?
    ) -> CheckedValue? {
        guard list.count.contains(elements.count) else {
            let most = list.count.upperBound
            problems.error(
                at: place, expected: "a list of \(list.count.lowerBound) to \(most) \(list.noun)",
                found: elements.isEmpty ? "an empty list" : "\(elements.count) of them",
                remedy: elements.count > most ? "leave at most \(most)" : writeAs(key))
            return nil
        }
        let checked = elements.enumerated().map { index, element in
            check(element, list.element, at: place.element(index, at: element.position), for: key)
        }
        return CheckedValue(place: place, content: .list(checked.compactMap(\.self)))
    }

    private func checkEntries(
        _ entries: [YAMLNode.Entry], _ described: EntriesShape, at place: Place, for key: KeyDescription?
    ) -> CheckedValue? {
        guard described.count.contains(entries.count) else {
            problems.error(
                at: place,
                expected:
                    "a mapping of \(described.count.lowerBound) to \(described.count.upperBound) \(described.noun)",
                found: entries.isEmpty ? "an empty mapping" : "\(entries.count) of them", remedy: writeAs(key))
            return nil
        }
        var seen: [String: Position] = [:]
        var checked: [CheckedEntry] = []
        for entry in entries {
            let place = place.key(Quoted.bare(entry.key), at: entry.keyPosition)
            guard isFirst(entry, place, &seen) else { continue }
            if let fault = described.name.fault(entry.key) {
                problems.error(
                    at: place, expected: fault.expected ?? described.name.expected, found: Quoted.text(entry.key),
                    remedy: fault.remedy)
            }
            let valuePlace = Place(position: entry.value.position, path: place.path)
            let value = check(entry.value, described.value, at: valuePlace, for: described.key(entry.key) ?? key)
            checked.append(CheckedEntry(name: entry.key, place: place, value: value))
        }
        return CheckedValue(place: place, content: .entries(checked))
    }

    /// A mapping with described keys; what is wrong with it has been noted, what is right is in the result.
    func checkObject(_ entries: [YAMLNode.Entry], _ object: ObjectShape, at place: Place) -> CheckedObject {
        var result = CheckedObject(place: place)
        var seen: [String: Position] = [:]
        var misspelt: Set<String> = []
        for entry in entries {
            let keyPlace = place.key(Quoted.bare(entry.key), at: entry.keyPosition)
            guard isFirst(entry, keyPlace, &seen) else { continue }
            guard let key = object[entry.key] else {
                if let meant = Suggestion.nearest(to: entry.key, among: object.keys.map(\.name)) {
                    misspelt.insert(meant)
                }
                problems.error(
                    at: keyPlace, expected: "a key of \(object.noun)", found: Quoted.text(entry.key),
                    remedy: unknownKeyRemedy(entry.key, object))
                continue
            }
            result.keyPlaces[key.name] = keyPlace
            let valuePlace = Place(position: entry.value.position, path: keyPlace.path)
            result.values[key.name] = check(entry.value, key.shape, at: valuePlace, for: key)
        }
        // A misspelt key is one problem, not also a missing one.
        for key in object.keys where key.presence == .required && !result.says(key.name) && !misspelt.contains(key.name)
        {
            if let others = object.alternatives[key.name], others.contains(where: result.says) { continue }
            problems.error(
                at: Place(position: place.position, path: place.key(key.name, at: place.position).path),
                expected: key.shape.expectation, found: "nothing", remedy: "add  \(key.name): \(key.example)")
        }
        if misspelt.isDisjoint(with: object.exactlyOne) { checkExactlyOne(of: object, in: result) }
        return result
    }

    private func checkExactlyOne(of object: ObjectShape, in result: CheckedObject) {
        guard !object.exactlyOne.isEmpty else { return }
        let said = object.exactlyOne.filter(result.says)
        var expected = "exactly one of \(object.exactlyOne.joined(separator: ", "))"
        if !object.together.isEmpty { expected += ", or \(object.together.joined(separator: " and "))" }
        let examples = object.exactlyOne.compactMap { object[$0] }.map { "\($0.name): \($0.example)" }
        if said.isEmpty {
            problems.error(
                at: result.place, expected: expected, found: "none of them",
                remedy: "add  \(examples.joined(separator: "  or  "))")
        } else if said.count > 1, !said.allSatisfy(object.together.contains),
            let last = said.compactMap({ result.keyPlaces[$0] }).max(by: earlier)
        {
            problems.error(
                at: Place(position: last.position, path: result.place.path), expected: expected,
                found: said.joined(separator: " and "), remedy: "keep one of them")
        }
    }

    private func earlier(_ left: Place, _ right: Place) -> Bool { left.position < right.position }

    /// libyaml hands duplicate keys on; two readers would keep different ones of them.
    private func isFirst(_ entry: YAMLNode.Entry, _ place: Place, _ seen: inout [String: Position]) -> Bool {
        if let first = seen[entry.key] {
            problems.error(
                at: place, expected: "each key once", found: "\(Quoted.text(entry.key)) again",
                remedy: "the first is on \(first.words); keep one")
            return false
        }
        seen[entry.key] = entry.keyPosition
        return true
    }

    private func misfit(_ node: YAMLNode, _ shape: Shape, at place: Place, for key: KeyDescription?) -> CheckedValue? {
        // A text where a mapping belongs may be a secret pasted in place of its reference: not repeated.
        var found = node.found
        if case .scalar(let text, let isPlain) = node.content, !shape.acceptsScalars,
            ScalarValue(text, isPlain: isPlain) == .text
        {
            found = "a text"
        }
        problems.error(
            at: place, expected: shape.expectation, found: found, remedy: rewritten(node, shape, key) ?? writeAs(key))
        return nil
    }

    /// What somebody wrote, as the shape wants it: one text where a list of texts belongs, or several where one does.
    private func rewritten(_ node: YAMLNode, _ shape: Shape, _ key: KeyDescription?) -> String? {
        guard let key else { return nil }
        switch node.content {
        case .scalar(let text, let isPlain):
            guard let list = shape.list, case .text(let element) = list.element,
                ScalarValue(text, isPlain: isPlain) == .text
            else { return nil }
            let words = text.split { $0 == " " || $0 == "," }.map(String.init)
            guard !words.isEmpty, words.allSatisfy({ element.fault($0) == nil }) else { return nil }
            return "write it as a list:  \(key.name): [\(Quoted.bare(words.joined(separator: ", ")))]"
        case .sequence:
            guard let inner = shape.keyOfList else { return nil }
            return "several stand in a mapping:  \(key.name): { \(inner): […] }"
        case .mapping: return nil
        }
    }

    /// How to write a mapping's key that stands alone where the mapping itself belongs.
    private func mappingMeant(_ text: String, _ key: KeyDescription?) -> String? {
        guard let key, let inner = key.shape.mapping?[text] else { return nil }
        return "write it as  \(key.name): { \(inner.name): \(inner.example) }"
    }

    private func writeAs(_ key: KeyDescription?) -> String {
        guard let key else { return "see the reference: portcullis defaults" }
        return "write it as  \(key.name): \(key.example)"
    }

    private func unknownKeyRemedy(_ name: String, _ object: ObjectShape) -> String {
        if let remedy = object.strangers[name] { return remedy }
        let names = object.keys.map(\.name)
        if Suggestion.nearest(to: name, among: names) == nil,
            let home = object.keys.first(where: { $0.shape.keyNames.contains(name) })
        {
            return "it belongs under \(home.name)"
        }
        return Suggestion.remedy(for: name, among: names, called: "keys")
    }
}

extension Shape {
    fileprivate var acceptsScalars: Bool {
        switch self {
        case .list, .object, .entries, .json: false
        case .either(let shapes): shapes.contains { $0.acceptsScalars }
        case .text, .word, .scalar, .integer, .duration, .byteCount, .boolean, .onlyTrue: true
        }
    }

    /// The list that the shape is or offers.
    fileprivate var list: ListShape? {
        switch self {
        case .list(let list): list
        case .either(let shapes): shapes.lazy.compactMap(\.list).first
        default: nil
        }
    }

    /// The first key of the mapping that the shape offers, where that may be a list.
    fileprivate var keyOfList: String? {
        switch self {
        case .object(let object): object.keys.first.flatMap { $0.shape.list == nil ? nil : $0.name }
        case .either(let shapes): shapes.lazy.compactMap(\.keyOfList).first
        default: nil
        }
    }

    /// The mapping that the shape offers beside words.
    fileprivate var mapping: ObjectShape? {
        guard case .either(let shapes) = self else { return nil }
        for case .object(let object) in shapes { return object }
        return nil
    }

    /// The keys of the mapping that the shape describes or offers.
    fileprivate var keyNames: [String] {
        switch self {
        case .object(let object): object.keys.map(\.name)
        case .either(let shapes): shapes.flatMap(\.keyNames)
        case .list, .entries, .json, .text, .word, .scalar, .integer, .duration, .byteCount, .boolean, .onlyTrue: []
        }
    }
}
