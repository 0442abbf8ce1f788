import JSON

/// Turns YAML whose content somebody else understands into JSON; what JSON cannot say exactly becomes a problem.
struct JSONCheck {
    let problems: ProblemList

    /// The value, or nil after at least one problem has been noted.
    func check(_ node: YAMLNode, _ shape: JSONShape, at place: Place) -> CheckedValue? {
        var writer = JSONWriter()
        guard write(node, at: place, to: &writer), judgeMember(node, shape, at: place) else { return nil }
        guard let value = try? JSONValue.parse(owned: writer.bytes, limits: JSONLimits(bytes: 16 * 1024)) else {
            problems.error(
                at: place, expected: "at most 16KiB of it, and 16 levels", found: "more",
                remedy: "it travels in every authorization request: say less")
            return nil
        }
        return CheckedValue(place: place, content: .json(value))
    }

    private func judgeMember(_ node: YAMLNode, _ shape: JSONShape, at place: Place) -> Bool {
        guard let member = shape.member, case .sequence(let elements) = node.content else { return true }
        var fits = true
        for (index, element) in elements.enumerated() {
            if case .mapping(let entries) = element.content,
                let value = entries.first(where: { $0.key == member })?.value,
                case .scalar(let text, let isPlain) = value.content, ScalarValue(text, isPlain: isPlain) == .text
            {
                continue
            }
            problems.error(
                at: place.element(index, at: element.position), expected: "a mapping with \(member), a text",
                found: "none", remedy: "add  \(member): …  to it")
            fits = false
        }
        return fits
    }

    private func write(_ node: YAMLNode, at place: Place, to writer: inout JSONWriter) -> Bool {
        switch node.content {
        case .mapping(let entries): return write(entries, at: place, to: &writer)
        case .sequence(let elements):
            writer.beginArray()
            defer { writer.endArray() }
            var fits = true
            for (index, element) in elements.enumerated() {
                fits = write(element, at: place.element(index, at: element.position), to: &writer) && fits
            }
            return fits
        case .scalar(let text, let isPlain):
            return write(text, ScalarValue(text, isPlain: isPlain), at: place, to: &writer)
        }
    }

    private func write(_ entries: [YAMLNode.Entry], at place: Place, to writer: inout JSONWriter) -> Bool {
        writer.beginObject()
        defer { writer.endObject() }
        var fits = true
        var seen: [String: Position] = [:]
        for entry in entries {
            let keyPlace = place.key(Quoted.bare(entry.key), at: entry.keyPosition)
            if let first = seen.updateValue(entry.keyPosition, forKey: entry.key) {
                problems.error(
                    at: keyPlace, expected: "each key once", found: "\(Quoted.text(entry.key)) again",
                    remedy: "the first is on \(first.words); keep one")
                fits = false
                continue
            }
            writer.name(entry.key)
            let valuePlace = Place(position: entry.value.position, path: keyPlace.path)
            fits = write(entry.value, at: valuePlace, to: &writer) && fits
        }
        return fits
    }

    private func write(_ text: String, _ meaning: ScalarValue, at place: Place, to writer: inout JSONWriter) -> Bool {
        switch meaning {
        case .null: writer.null()
        case .boolean(let flag): writer.bool(flag)
        case .integer(let integer): writer.integer(Int64(integer))
        case .text: writer.string(text)
        case .number:
            problems.error(
                at: place, expected: "a whole number, or a text", found: "the number \(Quoted.bare(text))",
                remedy: "put it in quotation marks: \"\(text)\"")
            writer.null()
            return false
        }
        return true
    }
}

extension JSONShape {
    /// Whether a node is of the kind that is wanted.
    func accepts(_ node: YAMLNode) -> Bool { Shape.json(self).accepts(kindOf: node) }
}
