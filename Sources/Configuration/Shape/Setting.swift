import JSON

/// One setting: its key, where its value goes, what it looks like, and one sentence about it.
///
/// Loader, JSON Schema and default come from this one row. The default is what the settings have before anything is
/// said, so that no row repeats it.
struct Setting<Settings: Sendable>: Sendable {
    /// Where a value goes.
    typealias Path<Value> = any WritableKeyPath<Settings, Value> & Sendable

    /// What the key looks like, beside settings in which nothing was said.
    let key: @Sendable (Settings) -> KeyDescription
    /// Puts what is said into the settings, and leaves them alone where nothing is.
    let read: @Sendable (CheckedObject, inout Settings) -> Void

    /// A key that code of its section reads.
    static func key(
        _ name: String, _ shape: Shape, _ presence: KeyDescription.Presence, example: String? = nil, _ sentence: String
    ) -> Setting {
        key(KeyDescription(name, shape, presence, example: example, sentence))
    }

    /// The same for a key that another mapping has too.
    static func key(_ key: KeyDescription) -> Setting { Setting(key: { _ in key }, read: { _, _ in }) }

    /// A whole number.
    static func count(
        _ name: String, _ path: Path<Int>, _ range: ClosedRange<Int>, example: String? = nil,
        _ sentence: String
    ) -> Setting {
        Setting(
            key: {
                let standard = "\($0[keyPath: path])"
                return KeyDescription(name, .integer(range), .standard(standard), example: example, sentence)
            },
            read: { object, settings in
                if let count = object.integer(name) { settings[keyPath: path] = count }
            })
    }

    /// A whole number that follows from other settings where nothing is said.
    static func count(
        _ name: String, orNone path: Path<Int?>, _ range: ClosedRange<Int>,
        example: String, _ sentence: String
    ) -> Setting {
        Setting(
            key: { _ in KeyDescription(name, .integer(range), .optional, example: example, sentence) },
            read: { object, settings in
                if let count = object.integer(name) { settings[keyPath: path] = count }
            })
    }

    /// A size.
    static func bytes(
        _ name: String, _ path: Path<Int>, _ range: ClosedRange<Int>,
        _ sentence: String
    ) -> Setting {
        Setting(
            key: {
                let standard = ByteCountText.text($0[keyPath: path])
                return KeyDescription(
                    name, .byteCount(range, acceptsUnlimited: false), .standard(standard), sentence)
            },
            read: { object, settings in
                if case .some(.some(let bytes)) = object.byteCount(name) { settings[keyPath: path] = bytes }
            })
    }

    /// A size, or `unlimited`, which is none.
    static func bytes(
        _ name: String, orUnlimited path: Path<Int64?>, _ range: ClosedRange<Int>,
        example: String, _ sentence: String
    ) -> Setting {
        Setting(
            key: {
                let standard = $0[keyPath: path].map { ByteCountText.text(Int($0)) } ?? "unlimited"
                return KeyDescription(
                    name, .byteCount(range, acceptsUnlimited: true), .standard(standard), example: example, sentence)
            },
            read: { object, settings in
                if let bytes = object.byteCount(name) { settings[keyPath: path] = bytes.map(Int64.init) }
            })
    }

    /// A size that is another setting's where nothing is said.
    static func bytes(
        _ name: String, orNone path: Path<Int?>, _ range: ClosedRange<Int>, example: String, _ sentence: String
    ) -> Setting {
        value(name, path, .byteCount(range, acceptsUnlimited: false), .optional, example: example, sentence) {
            if case .byteCount(let bytes) = $0.content { .some(bytes) } else { nil }
        }
    }

    /// A time, with a range in milliseconds.
    static func milliseconds(
        _ name: String, _ path: Path<Duration>, _ range: ClosedRange<Int>,
        _ sentence: String
    ) -> Setting {
        Setting(
            key: {
                let standard = DurationText.text($0[keyPath: path])
                return KeyDescription(name, .duration(DurationShape(range: range)), .standard(standard), sentence)
            },
            read: { object, settings in
                if let time = object.milliseconds(name) { settings[keyPath: path] = .milliseconds(time) }
            })
    }

    /// A time that is another setting's where nothing is said, with a range in milliseconds.
    static func milliseconds(
        _ name: String, orNone path: Path<Duration?>, _ range: ClosedRange<Int>,
        example: String, _ sentence: String
    ) -> Setting {
        Setting(
            key: { _ in
                KeyDescription(
                    name, .duration(DurationShape(range: range)), .optional, example: example, sentence)
            },
            read: { object, settings in
                if let time = object.milliseconds(name) { settings[keyPath: path] = .milliseconds(time) }
            })
    }

    /// A time of whole seconds, with a range in seconds; `written` is how the default is shown where that is not the
    /// shortest way.
    static func seconds(
        _ name: String, _ path: Path<Duration>, _ range: ClosedRange<Int>, written: String? = nil, _ sentence: String
    ) -> Setting {
        Setting(
            key: {
                let standard = written ?? DurationText.text($0[keyPath: path])
                return KeyDescription(name, .duration(.seconds(range)), .standard(standard), sentence)
            },
            read: { object, settings in
                if let seconds = object.seconds(name) { settings[keyPath: path] = .seconds(seconds) }
            })
    }

    /// The same for a rule of a protocol, which counts in seconds as the protocol does.
    static func seconds(
        _ name: String, number path: Path<Int>, _ range: ClosedRange<Int>, _ sentence: String
    ) -> Setting {
        Setting(
            key: {
                let standard = DurationText.text(.seconds($0[keyPath: path]))
                return KeyDescription(name, .duration(.seconds(range)), .standard(standard), sentence)
            },
            read: { object, settings in
                if let seconds = object.seconds(name) { settings[keyPath: path] = seconds }
            })
    }

    /// The same for one that there need not be.
    static func seconds(
        _ name: String, numberOrNone path: Path<Int?>, _ range: ClosedRange<Int>, example: String, _ sentence: String
    ) -> Setting {
        Setting(
            key: { _ in KeyDescription(name, .duration(.seconds(range)), .optional, example: example, sentence) },
            read: { object, settings in
                if let seconds = object.seconds(name) { settings[keyPath: path] = seconds }
            })
    }

    /// A time of whole seconds that there need not be.
    static func seconds(
        _ name: String, orNone path: Path<Duration?>, _ range: ClosedRange<Int>, example: String, _ sentence: String
    ) -> Setting {
        Setting(
            key: { _ in KeyDescription(name, .duration(.seconds(range)), .optional, example: example, sentence) },
            read: { object, settings in
                if let seconds = object.seconds(name) { settings[keyPath: path] = .seconds(seconds) }
            })
    }

    /// True or false.
    static func flag(
        _ name: String, _ path: Path<Bool>, _ sentence: String
    ) -> Setting {
        Setting(
            key: { KeyDescription(name, .boolean, .standard("\($0[keyPath: path])"), sentence) },
            read: { object, settings in
                if let flag = object.flag(name) { settings[keyPath: path] = flag }
            })
    }

    /// One of a few words, each for a value.
    static func word<Value: Equatable & Sendable>(
        _ name: String, _ path: Path<Value>, _ words: [(word: String, value: Value)],
        never: [String: String] = [:], example: String? = nil, _ sentence: String
    ) -> Setting {
        Setting(
            key: { settings in
                let standard = words.first { $0.value == settings[keyPath: path] }?.word ?? ""
                return KeyDescription(
                    name, .word(words.map(\.word), never: never), .standard(ScalarValue.written(standard)),
                    example: example, sentence)
            },
            read: { object, settings in
                let said = object.text(name)?.text
                if let word = words.first(where: { $0.word == said }) { settings[keyPath: path] = word.value }
            })
    }

    /// A text.
    static func text(
        _ name: String, _ path: Path<String>, _ shape: TextShape, example: String? = nil, _ sentence: String
    ) -> Setting {
        Setting(
            key: {
                let standard = ScalarValue.written($0[keyPath: path])
                return KeyDescription(name, .text(shape), .standard(standard), example: example, sentence)
            },
            read: { object, settings in
                if let text = object.text(name) { settings[keyPath: path] = text.text }
            })
    }

    /// A text that there need not be.
    static func text(
        _ name: String, orNone path: Path<String?>, _ shape: TextShape, example: String,
        _ sentence: String
    ) -> Setting {
        value(name, path, .text(shape), .optional, example: example, sentence) { .some($0.text) }
    }

    /// One text or several, as the shape takes them; an empty default is shown as none.
    static func texts(
        _ name: String, _ path: Path<[String]>, _ shape: Shape, example: String? = nil, _ sentence: String
    ) -> Setting {
        list(name, path, shape, example: example, sentence, written: { $0 }, read: { $0 })
    }

    /// Several values, each by a text; an empty default is shown as none.
    static func list<Value: Sendable>(
        _ name: String, _ path: Path<[Value]>, _ shape: Shape, example: String? = nil, _ sentence: String,
        written: @escaping @Sendable (Value) -> String, read: @escaping @Sendable (String) -> Value?
    ) -> Setting {
        Setting(
            key: {
                let standard = $0[keyPath: path].map(written).joined(separator: ", ")
                return KeyDescription(
                    name, shape, standard.isEmpty ? .optional : .standard("[\(standard)]"), example: example, sentence)
            },
            read: { object, settings in
                let values = object.texts(name).compactMap { read($0.text) }
                if object[name] != nil { settings[keyPath: path] = values }
            })
    }

    /// Several of a few words, each for a value.
    static func words<Value: Equatable & Sendable>(
        _ name: String, _ path: Path<[Value]>, _ words: [(word: String, value: Value)], noun: String,
        example: String, _ sentence: String
    ) -> Setting {
        let shape = ListShape(noun: noun, element: .word(words.map(\.word)), count: 1...words.count)
        return list(
            name, path, .list(shape), example: example, sentence,
            written: { value in words.first { $0.value == value }?.word ?? "" },
            read: { text in words.first { $0.word == text }?.value })
    }

    /// A value that is handed on as JSON.
    static func json(
        _ name: String, _ path: Path<JSONValue?>, _ shape: JSONShape, example: String, _ sentence: String
    ) -> Setting {
        value(name, path, .json(shape), .optional, example: example, sentence) {
            if case .json(let json) = $0.content { .some(json) } else { nil }
        }
    }

    /// What code makes of the value that is said; it says nothing where that is nil.
    static func value<Value: Sendable>(
        _ name: String, _ path: Path<Value>, _ shape: Shape, _ presence: KeyDescription.Presence,
        example: String? = nil, _ sentence: String, read: @escaping @Sendable (CheckedValue) -> Value?
    ) -> Setting {
        let key = KeyDescription(name, shape, presence, example: example, sentence)
        return Setting(
            key: { _ in key },
            read: { object, settings in
                if let value = object[name].flatMap(read) { settings[keyPath: path] = value }
            })
    }
}

/// The settings of one mapping, a row each.
struct SettingTable<Settings: Sendable>: Sendable {
    let shape: ObjectShape
    private let rows: [Setting<Settings>]

    /// `defaults` are the settings when nothing is said; the rest is as `ObjectShape` has it.
    init(
        _ noun: String, defaults: Settings, _ rows: [Setting<Settings>], exactlyOne: [String] = [],
        together: [String] = [], strangers: [String: String] = [:], alternatives: [String: [String]] = [:]
    ) {
        shape = ObjectShape(
            noun: noun, keys: rows.map { $0.key(defaults) }, exactlyOne: exactlyOne, together: together,
            strangers: strangers, alternatives: alternatives)
        self.rows = rows
    }

    /// Puts all that is said into the settings.
    func read(_ object: CheckedObject?, into settings: inout Settings) {
        guard let object else { return }
        for row in rows { row.read(object, &settings) }
    }
}
