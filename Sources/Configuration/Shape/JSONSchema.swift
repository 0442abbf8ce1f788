/// The configuration's structure as a JSON Schema (draft 2020-12), made from the shapes that loading checks.
package enum JSONSchema {
    /// The whole document, indented, with a line break at its end.
    package static var document: String {
        let root: [(String, SchemaValue)] = [
            ("$schema", .text("https://json-schema.org/draft/2020-12/schema")),
            ("title", .text("Portcullis configuration")),
        ]
        return SchemaValue.object(root + members(of: .object(DocumentSection.shape))).text() + "\n"
    }

    private static func members(of shape: Shape) -> [(String, SchemaValue)] {
        switch shape {
        case .text(let text):
            // An empty text fits no grammar of ours; a pattern says more where there is one.
            [("type", .text("string")), text.pattern.map { ("pattern", .text($0)) } ?? ("minLength", .integer(1))]
        case .word(let words, _):
            [("enum", .list(words.map(SchemaValue.text)))]
        case .scalar:
            [("type", .list([.text("string"), .text("boolean"), .text("integer")]))]
        case .integer(let range):
            [
                ("type", .text("integer")), ("minimum", .integer(range.lowerBound)),
                ("maximum", .integer(range.upperBound)),
            ]
        case .duration: [("type", .text("string")), ("pattern", .text(DurationText.pattern))]
        case .byteCount(_, let acceptsUnlimited):
            [
                ("type", .text("string")),
                ("pattern", .text(acceptsUnlimited ? "\(ByteCountText.pattern)|^unlimited$" : ByteCountText.pattern)),
            ]
        case .boolean: [("type", .text("boolean"))]
        case .onlyTrue: [("const", .boolean(true))]
        case .list(let list):
            [
                ("type", .text("array")), ("minItems", .integer(list.count.lowerBound)),
                ("maxItems", .integer(list.count.upperBound)), ("items", .object(members(of: list.element))),
            ]
        case .object(let object): members(of: object)
        case .entries(let entries): members(of: entries)
        case .json(let json): members(of: json)
        case .either(let shapes): [("anyOf", .list(shapes.map { .object(members(of: $0)) }))]
        }
    }

    private static func members(of object: ObjectShape) -> [(String, SchemaValue)] {
        var schema: [(String, SchemaValue)] = [("type", .text("object")), ("additionalProperties", .boolean(false))]
        let required = object.keys.filter { $0.presence == .required && object.alternatives[$0.name] == nil }.map {
            SchemaValue.text($0.name)
        }
        if !required.isEmpty { schema.append(("required", .list(required))) }
        if !object.exactlyOne.isEmpty {
            schema.append(("oneOf", .list(alternatives(of: object))))
        }
        schema.append(("properties", .object(object.keys.map { ($0.name, .object(property($0))) })))
        return schema
    }

    /// One for each key, but one for all those that may stand together.
    private static func alternatives(of object: ObjectShape) -> [SchemaValue] {
        let alone = object.exactlyOne.filter { !object.together.contains($0) }.map(required)
        guard !object.together.isEmpty else { return alone }
        return [.object([("anyOf", .list(object.together.map(required)))])] + alone
    }

    private static func required(_ key: String) -> SchemaValue { .object([("required", .list([.text(key)]))]) }

    /// What is inside is somebody else's: nothing closes it.
    private static func members(of json: JSONShape) -> [(String, SchemaValue)] {
        var mapping: [(String, SchemaValue)] = [("type", .text("object"))]
        if let member = json.member { mapping.append(("required", .list([.text(member)]))) }
        switch json.form {
        case .mapping: return mapping
        case .listOfMappings:
            return [("type", .text("array")), ("minItems", .integer(1)), ("items", .object(mapping))]
        }
    }

    private static func property(_ key: KeyDescription) -> [(String, SchemaValue)] {
        var description = key.sentence
        if case .standard(let value) = key.presence { description += " Default: \(value)." }
        return [("description", .text(description))] + members(of: key.shape)
    }

    private static func members(of entries: EntriesShape) -> [(String, SchemaValue)] {
        var schema: [(String, SchemaValue)] = [
            ("type", .text("object")), ("minProperties", .integer(entries.count.lowerBound)),
            ("maxProperties", .integer(entries.count.upperBound)),
        ]
        if let pattern = entries.name.pattern {
            schema.append(("propertyNames", .object([("pattern", .text(pattern))])))
        }
        schema.append(("additionalProperties", .object(members(of: entries.value))))
        return schema
    }
}
