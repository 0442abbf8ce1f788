import Configuration

/// Settings of oauth2-proxy by the names of their flags: of one set twice the stronger source counts.
struct FlagSettings: Sendable {
    private(set) var byName: [String: ForeignSetting] = [:]
    /// Upstreams and fields of the alpha configuration, which no flag can say.
    var upstreams: [ForeignUpstream] = []
    var identity: [ForeignField] = []
    var hasFields = false
    /// What the alpha configuration has without a flag, to be said as it is.
    var notes: [(setting: ForeignSetting, part: Draft.Part, why: String)] = []
    /// Of those, what restricted access.
    var undecided: [String] = []

    /// What is set here wins over what was there.
    mutating func override(with stronger: FlagSettings) {
        byName.merge(stronger.byName) { $1 }
        upstreams += stronger.upstreams
        identity += stronger.identity
        hasFields = hasFields || stronger.hasFields
        notes += stronger.notes
        undecided += stronger.undecided
    }

    mutating func set(_ setting: ForeignSetting) { byName[setting.name] = setting }

    /// Adds to a list that was given more than once.
    mutating func append(_ setting: ForeignSetting) {
        if byName[setting.name] == nil {
            byName[setting.name] = setting
        } else {
            byName[setting.name]?.values += setting.values
        }
    }

    /// More than this are not told apart.
    private static let mostUnknown = 256

    /// Says of a setting that no table has that it is left out: it may have kept somebody out.
    mutating func leave(unknown spelling: String, at place: ForeignPlace) throws(ImportRefusal) {
        let name = FlagValue.shown(spelling)
        guard !name.isEmpty else {
            throw ImportRefusal(
                place, expected: "a setting of oauth2-proxy", found: "none", remedy: "write its name before its value")
        }
        guard undecided.count < Self.mostUnknown else { return }
        notes.append(
            (
                ForeignSetting(name: name, values: [], place: place, spelling: name), .rest,
                "is not known: nobody passes until you decide"
            ))
        undecided.append(name)
    }

    subscript(name: String) -> ForeignSetting? { byName[name] }

    func text(_ name: String) -> String? {
        guard let text = byName[name]?.values.first, !text.isEmpty else { return nil }
        return text
    }

    func list(_ name: String) -> [String] { byName[name]?.values.filter { !$0.isEmpty } ?? [] }

    func isTrue(_ name: String, otherwise: Bool = false) -> Bool {
        byName[name]?.values.first.flatMap(Self.boolean) ?? otherwise
    }

    static func boolean(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "1", "t": true
        case "false", "0", "f": false
        default: nil
        }
    }
}

/// An upstream of oauth2-proxy.
struct ForeignUpstream: Sendable {
    var place: ForeignPlace
    var path: String
    var uri: String
    var isStatic = false
    /// The status of a fixed answer, as it is written.
    var staticCode: Substring?
    /// What an expression in `path` becomes.
    var rewriteTarget: String?
    var takesWebSockets: Bool?
}

/// A field that an upstream gets, and where it is from.
struct ForeignField: Sendable {
    var place: ForeignPlace
    var name: String
    /// In the words of oauth2-proxy: `user`, `email`, `groups`, `access_token`, or a claim.
    var claim: String
    var prefix = ""
}

/// Reads one setting with its value, as all sources have it.
enum FlagValue {
    static func setting(
        _ spelling: String, _ values: [String], at place: ForeignPlace
    ) throws(ImportRefusal) -> ForeignSetting {
        guard let row = FlagTable.row(spelling) else {
            throw ImportRefusal(
                place, expected: "a setting of oauth2-proxy", found: shown(spelling), remedy: "correct its name")
        }
        var values = values
        switch row.kind {
        case .list: values = values.flatMap { separated($0) }
        case .flag:
            guard values.count == 1, FlagSettings.boolean(values[0]) != nil else {
                throw ImportRefusal(
                    place, expected: "\(row.name) as true or false", found: "something else",
                    remedy: "write true or false")
            }
        case .number, .duration, .text, .secret:
            guard values.count == 1 else {
                throw ImportRefusal(
                    place, expected: "one value of \(row.name)", found: "\(values.count)", remedy: "write one text")
            }
        }
        if row.kind == .duration, duration(values[0]) == nil {
            throw ImportRefusal(
                place, expected: "\(row.name) as a duration such as 168h", found: values[0], remedy: "write it so")
        }
        guard values.count <= 4096 else {
            throw ImportRefusal(
                place, expected: "at most 4096 values", found: "\(values.count)", remedy: "leave some out")
        }
        return ForeignSetting(name: String(row.name), values: values, place: place, spelling: spelling)
    }

    /// A name that may be printed: what stands behind a mistyped sign could be a secret.
    static func shown(_ spelling: String) -> String {
        String(spelling.prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
    }

    /// What stands between commas, without the spaces around.
    private static func separated(_ text: String) -> [String] {
        text.split(separator: ",").map { part in
            String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// Seconds of a duration such as `1h30m`; a number alone is nanoseconds to oauth2-proxy, and zero alone is meant so.
    static func duration(_ text: String) -> Int? {
        if text == "0" || text.isEmpty { return 0 }
        var (milliseconds, number, digits) = (0, 0, 0)
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.first {
            bytes = bytes.dropFirst()
            if byte >= 0x30, byte <= 0x39, digits < 9 {
                (number, digits) = (number * 10 + Int(byte - 0x30), digits + 1)
                continue
            }
            guard digits > 0 else { return nil }
            // Parts of a second, and parts of a number, are finer than anything that is carried.
            if byte == UInt8(ascii: ".") {
                bytes = bytes.drop { $0 >= 0x30 && $0 <= 0x39 }
                continue
            }
            let scale: Int
            switch byte {
            case UInt8(ascii: "h"): scale = 3_600_000
            case UInt8(ascii: "m") where bytes.first == UInt8(ascii: "s"): (scale, bytes) = (1, bytes.dropFirst())
            case UInt8(ascii: "m"): scale = 60_000
            case UInt8(ascii: "s"): scale = 1000
            case UInt8(ascii: "d"): scale = 86_400_000
            default: return nil
            }
            guard milliseconds <= 1 << 53 else { return nil }
            milliseconds += number * scale
            (number, digits) = (0, 0)
        }
        return digits == 0 ? milliseconds / 1000 : nil
    }
}
