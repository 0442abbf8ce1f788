import JSON

/// A value that fits its shape, with its place for problems that only the translation can see.
struct CheckedValue: Sendable {
    indirect enum Content: Sendable {
        /// Texts, words and scalars.
        case text(String)
        case integer(Int)
        case milliseconds(Int)
        /// Nil is `unlimited`.
        case byteCount(Int?)
        case flag(Bool)
        case list([CheckedValue])
        case object(CheckedObject)
        case entries([CheckedEntry])
        case json(JSONValue)
    }

    var place: Place
    var content: Content

    var text: String? { if case .text(let text) = content { text } else { nil } }
    var list: [CheckedValue]? { if case .list(let list) = content { list } else { nil } }
    var object: CheckedObject? { if case .object(let object) = content { object } else { nil } }
    var entries: [CheckedEntry]? { if case .entries(let entries) = content { entries } else { nil } }

    /// The numbers of a list.
    var integers: [Int] {
        (list ?? []).compactMap { if case .integer(let integer) = $0.content { integer } else { nil } }
    }

    /// The text alone, or the texts of the list.
    var texts: [PlacedText] {
        switch content {
        case .text(let text): [PlacedText(place: place, text: text)]
        case .list(let list): list.flatMap(\.texts)
        case .integer, .milliseconds, .byteCount, .flag, .object, .entries, .json: []
        }
    }
}

/// A text and where it stands.
struct PlacedText: Sendable {
    var place: Place
    var text: String
}

/// One pair of a mapping whose keys the operator chose; `value` is nil when it did not fit its shape.
struct CheckedEntry: Sendable {
    var name: String
    var place: Place
    var value: CheckedValue?
}

/// The keys of a mapping that fit their shapes, and which keys were said at all.
struct CheckedObject: Sendable {
    var place: Place
    var values: [String: CheckedValue] = [:]
    /// Where each known key stands, also when its value did not fit.
    var keyPlaces: [String: Place] = [:]

    subscript(_ key: String) -> CheckedValue? { values[key] }

    /// Whether the key is there, fitting or not.
    func says(_ key: String) -> Bool { keyPlaces[key] != nil }

    /// The place of a key, or of the mapping when the key is not there.
    func place(of key: String) -> Place { keyPlaces[key] ?? place }

    func text(_ key: String) -> PlacedText? {
        guard let value = values[key], let text = value.text else { return nil }
        return PlacedText(place: value.place, text: text)
    }

    func texts(_ key: String) -> [PlacedText] { values[key]?.texts ?? [] }
    func object(_ key: String) -> CheckedObject? { values[key]?.object }
    func list(_ key: String) -> [CheckedValue] { values[key]?.list ?? [] }
    func entries(_ key: String) -> [CheckedEntry] { values[key]?.entries ?? [] }

    func flag(_ key: String) -> Bool? {
        if case .flag(let flag)? = values[key]?.content { flag } else { nil }
    }

    func json(_ key: String) -> JSONValue? {
        if case .json(let json)? = values[key]?.content { json } else { nil }
    }

    func integer(_ key: String) -> Int? {
        if case .integer(let integer)? = values[key]?.content { integer } else { nil }
    }

    func milliseconds(_ key: String) -> Int? {
        if case .milliseconds(let milliseconds)? = values[key]?.content { milliseconds } else { nil }
    }

    func seconds(_ key: String) -> Int? { milliseconds(key).map { $0 / 1000 } }

    /// Nil when the key is not there; `.some(nil)` is `unlimited`.
    func byteCount(_ key: String) -> Int?? {
        if case .byteCount(let bytes)? = values[key]?.content { .some(bytes) } else { .none }
    }
}
