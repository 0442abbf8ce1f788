import Access
import Bytes
import Gateway

/// What a token or a session must say of its user: `claims`, `any_claims` and `email` of a route's `token` or `login`.
enum ClaimSection {
    /// The three keys.
    static func keys<Settings>(example: String) -> [Setting<Settings>] {
        [
            .key(
                "claims", rules(1...32), .optional, example: example,
                "Claims that must have one of the values named, all of them, or one of those in a file; all must hold."),
            .key(
                "any_claims", rules(2...32), .optional, example: "{ groups: [staff], roles: [admin] }",
                "The same, of which one must hold."),
            .key(
                "email", .object(email), .optional, example: "{ domain: [example.com] }",
                "Where the user's address of mail must be; one that the issuer has not verified is none."),
        ]
    }

    private static func rules(_ count: ClosedRange<Int>) -> Shape {
        .entries(
            EntriesShape(
                noun: "claims to values", name: ClaimPathText.shape,
                value: .either([.scalar, .list(values), .object(rule)]), count: count))
    }

    private static let values = ListShape(noun: "values", element: .scalar, count: 1...64)

    private static let rule = ObjectShape(
        noun: "a mapping with any, all or file",
        keys: [
            KeyDescription(
                "any", .list(values), .optional, example: "[staff]", "One of these must be the value, or in its list."),
            KeyDescription(
                "all", .list(values), .optional, example: "[staff, admins]", "All of these must be in its list."),
            KeyDescription(
                "file", .text(PlainText.file), .optional, example: "/etc/portcullis/groups.txt",
                "One of the values in this file must be; a line each, read again when it changes."),
        ], exactlyOne: ["any", "all", "file"])

    private static let email = ObjectShape(
        noun: "a mapping with domain or file",
        keys: [
            KeyDescription(
                "domain",
                .either([.text(domain), .list(ListShape(noun: "domains", element: .text(domain), count: 1...64))]),
                .optional, example: "[example.com]", "What stands behind the @, in any case."),
            KeyDescription("subdomains", .boolean, .standard("false"), "Takes addresses in domains below those too."),
            KeyDescription(
                "file", .text(PlainText.file), .optional, example: "/etc/portcullis/people.txt",
                "Takes the addresses in this file too, a line each, in any case; read again when it changes."),
        ])

    static let domain = TextShape(
        expected: "a domain such as example.com", pattern: "^[A-Za-z0-9.-]{1,253}$"
    ) { text in
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        let fits = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
                && label.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "-") }
        }
        guard fits, text.utf8.count <= 253 else {
            return TextFault(
                remedy: "write it without @, * and dots at its ends, and other scripts as xn--…; see subdomains")
        }
        return nil
    }

    /// The rules, in the order in which they stand here; all must hold.
    static func translate(_ object: CheckedObject, _ translation: Translation) -> [ClaimRuleSettings] {
        var rules = object.entries("claims").compactMap { rule($0, translation) }
        let alternatives = object.entries("any_claims").compactMap { rule($0, translation) }
        if !alternatives.isEmpty { rules.append(ClaimRuleSettings(oneOf: alternatives)) }
        if let email = object.object("email") { rules.append(self.email(email, translation)) }
        return rules
    }

    private static func rule(_ entry: CheckedEntry, _ translation: Translation) -> ClaimRuleSettings? {
        guard let claim = ClaimPathText.parse(entry.name), let value = entry.value else { return nil }
        guard let object = value.object else { return ClaimRuleSettings(claim: claim, anyOf: value.texts.map(\.text)) }
        var rule = ClaimRuleSettings(claim: claim, anyOf: object.texts("any").map(\.text))
        if object.says("all") {
            rule.anyOf = object.texts("all").map(\.text)
            rule.kind = .allOf
        } else if let path = object.text("file") {
            rule.anyOf = lines(path, translation)
            rule.file = path.text
        }
        return rule
    }

    private static func email(_ object: CheckedObject, _ translation: Translation) -> ClaimRuleSettings {
        if !object.says("domain"), !object.says("file") {
            translation.problems.error(
                at: object.place, expected: "domain, file, or both", found: "neither",
                remedy: "add  domain: [example.com]")
        }
        if object.says("subdomains"), !object.says("domain") {
            translation.problems.error(
                at: object.place(of: "subdomains"), expected: "domain beside subdomains", found: "none",
                remedy: "leave subdomains out, or add  domain: [example.com]")
        }
        Repetition.refuse(object.texts("domain"), translation.problems)
        let path = object.text("file")
        var rule = ClaimRuleSettings(
            emailIn: object.texts("domain").map { $0.text.lowercased() }, subdomains: object.flag("subdomains") == true,
            addresses: path.map { addresses($0, translation) } ?? [])
        rule.file = path?.text
        return rule
    }

    private static func addresses(_ path: PlacedText, _ translation: Translation) -> [String] {
        let lines = lines(path, translation)
        if let wrong = lines.first(where: { $0.utf8.count { $0 == UInt8(ascii: "@") } != 1 }) {
            translation.problems.error(
                at: path.place, expected: "an address of mail in each line", found: Quoted.text(wrong),
                remedy: "domains belong under domain, and comments begin with #")
        }
        return lines.map { String(decoding: $0.utf8.map(ASCII.lowercase), as: UTF8.self) }
    }

    /// The values in a file, a line each, without blank lines and those that begin with `#`.
    ///
    /// An empty list is one that nobody is on: to take the last name out of it must not leave the list of before in force.
    private static func lines(_ path: PlacedText, _ translation: Translation) -> [String] {
        let problems = translation.problems
        guard let file = translation.file(path, noun: "values") else { return [] }
        if file.permissions & 0o002 != 0 {
            problems.error(
                at: path.place, expected: "a list that not everybody can change",
                found: "\(Quoted.text(path.text)) with mode 0\(String(file.permissions & 0o777, radix: 8))",
                remedy: "chmod o-w the file: whoever writes to it lets people in")
        }
        guard String(validating: file.bytes, as: UTF8.self) != nil, !file.bytes.contains(0),
            !file.bytes.starts(with: [0xEF, 0xBB, 0xBF])
        else {
            problems.error(
                at: path.place, expected: "a text in UTF-8, a value in each line", found: "other bytes",
                remedy: "save it as UTF-8, without a byte order mark")
            return []
        }
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let lines = file.bytes.split { $0 == 0x0A || $0 == 0x0D }.compactMap { line -> String? in
            let value = line.drop(while: isSpace)
            guard value.first != UInt8(ascii: "#"), let end = value.lastIndex(where: { !isSpace($0) }) else {
                return nil
            }
            return String(decoding: value[...end], as: UTF8.self)
        }
        if lines.isEmpty {
            problems.warning(
                at: path.place, expected: "a value in each line", found: "none in \(Quoted.text(path.text))",
                remedy: "nobody is on this list: add a line for each who may pass")
        }
        guard lines.count > 10_000 else { return lines }
        problems.error(
            at: path.place, expected: "at most 10000 values", found: "\(lines.count) of them",
            remedy: "have the issuer say it in a claim of fewer values, such as a group")
        return []
    }
}
