/// What a value of the configuration may look like; one description drives the loader and the JSON Schema alike.
indirect enum Shape: Sendable {
    case text(TextShape)
    /// One of a few fixed words; `never` are words that are refused with a remedy of their own.
    case word([String], never: [String: String] = [:])
    /// A text, `true`, `false` or a whole number, kept as it is spelt: a claim's value.
    case scalar
    case integer(ClosedRange<Int>)
    /// Milliseconds, written with a unit.
    case duration(DurationShape)
    /// Bytes, written with a unit; `unlimited` is a word that some sizes accept.
    case byteCount(ClosedRange<Int>, acceptsUnlimited: Bool)
    case boolean
    /// A key that says something by being there: its only value is `true`.
    case onlyTrue
    case list(ListShape)
    case object(ObjectShape)
    case entries(EntriesShape)
    /// A value that is handed on as JSON, whatever is in it.
    case json(JSONShape)
    /// Told apart by the YAML kind (scalar, list, mapping): at most one alternative of each.
    case either([Shape])
}

/// A text and the grammar that it must follow.
struct TextShape: Sendable {
    /// For example `an address such as 127.0.0.1:8443`.
    var expected: String
    /// The part of the grammar that a JSON Schema can express, anchored.
    var pattern: String?
    /// Whether one of its texts is `off`, which other readers of YAML take for false.
    var hasOff = false
    /// What is wrong with a text, or nil.
    var fault: @Sendable (String) -> TextFault?
}

/// What is wrong with a text that is no more than a text.
struct TextFault: Sendable, Equatable {
    /// Replaces the shape's own expectation where a rule can be said more exactly.
    var expected: String?
    var remedy: String
}

struct DurationShape: Sendable {
    enum Step: Int, Sendable {
        case milliseconds = 1
        case seconds = 1000
    }

    /// In milliseconds.
    var range: ClosedRange<Int>
    var step: Step = .milliseconds

    /// Whole seconds, of a range in seconds.
    static func seconds(_ range: ClosedRange<Int>) -> DurationShape {
        DurationShape(range: range.lowerBound * 1000...range.upperBound * 1000, step: .seconds)
    }
}

struct ListShape: Sendable {
    /// What the elements are called in messages, for example `methods`.
    var noun: String
    var element: Shape
    var count: ClosedRange<Int>
}

/// A mapping, or a list of mappings, whose content somebody else understands.
struct JSONShape: Sendable {
    enum Form: Sendable {
        case mapping
        case listOfMappings
    }

    /// For example `a mapping as in OpenID Connect Core section 5.5`.
    var expected: String
    var form: Form
    /// A member that each mapping must have, a text.
    var member: String?
}

/// A mapping whose keys are chosen by the operator.
struct EntriesShape: Sendable {
    /// What is mapped to what, for example `field names to claims`.
    var noun: String
    /// The grammar of a key.
    var name: TextShape
    var value: Shape
    var count: ClosedRange<Int>
    /// A value that would do, where the mapping's own example has none.
    var example: String?

    /// One of its keys, as remedies write it.
    func key(_ name: String) -> KeyDescription? {
        example.map { KeyDescription(Quoted.bare(name), value, .required, example: $0, "") }
    }
}

/// A mapping whose keys are all described here; any other key is an error.
struct ObjectShape: Sendable {
    /// What the mapping is, with its article: `a route`.
    var noun: String
    var keys: [KeyDescription]
    /// Keys of which exactly one must be said.
    var exactlyOne: [String] = []
    /// Those of them that may also stand together.
    var together: [String] = []
    /// Keys that others have in this place, and what to do here instead.
    var strangers: [String: String] = [:]
    /// Keys in whose place others may stand.
    var alternatives: [String: [String]] = [:]

    subscript(_ name: String) -> KeyDescription? {
        keys.first { $0.name == name }
    }
}

/// One key: its name, what it holds, whether it must be there, and one sentence about it.
struct KeyDescription: Sendable {
    enum Presence: Sendable, Equatable {
        case required
        case optional
        /// What holds when the key is not said, as YAML.
        case standard(String)
    }

    var name: String
    var shape: Shape
    var presence: Presence
    /// A value that would do, as one line of YAML; remedies show it.
    var example: String
    var sentence: String

    init(_ name: String, _ shape: Shape, _ presence: Presence, example: String? = nil, _ sentence: String) {
        self.name = name
        self.shape = shape
        self.presence = presence
        if case .standard(let value) = presence {
            self.example = example ?? value
        } else {
            self.example = example ?? "…"
        }
        self.sentence = sentence
    }
}
