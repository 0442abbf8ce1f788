import Configuration

/// Reads flags, files of settings and files of environment variables.
enum FlagReader {
    /// A prefix that all variables have.
    private static let prefix = "OAUTH2_PROXY_"

    /// The flags of a command line, each `--name=value`, `--name value`, or a word alone for true.
    static func arguments(_ words: [String]) throws(ImportRefusal) -> FlagSettings {
        var settings = FlagSettings()
        var refusal = ImportRefusal()
        var index = 0
        while index < words.count {
            let word = words[index]
            let place = ForeignPlace(file: "flags", position: Position(line: index + 1, column: 1))
            index += 1
            // The program itself, where a whole command was pasted, and what separates flags.
            if word == "--" || index == 1 && word.hasSuffix("oauth2-proxy") { continue }
            guard word.hasPrefix("-") else {
                refusal.add(
                    place, expected: "a flag", found: "a word that is none",
                    remedy: "write flags as --name=value, and files before the first flag")
                continue
            }
            let parts = word.drop { $0 == "-" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first.map(String.init) else { continue }
            var value = parts.count == 2 ? String(parts[1]) : nil
            guard FlagTable.row(name) != nil else {
                // What follows it and is no flag can only be its value.
                if value == nil, index < words.count, !words[index].hasPrefix("-") { index += 1 }
                do throws(ImportRefusal) { try settings.leave(unknown: name, at: place) } catch { refusal.add(error) }
                continue
            }
            if value == nil {
                if FlagTable.row(name)?.kind == .flag {
                    value = "true"
                } else if index < words.count {
                    value = words[index]
                    index += 1
                }
            }
            do throws(ImportRefusal) {
                let setting = try FlagValue.setting(name, [value ?? ""], at: place)
                if FlagTable.row(name)?.kind == .list { settings.append(setting) } else { settings.set(setting) }
            } catch { refusal.add(error) }
        }
        guard refusal.isEmpty else { throw refusal }
        return settings
    }

    /// A file of `name = value` lines, as oauth2-proxy reads it, of `OAUTH2_PROXY_NAME=value` lines, or of both.
    static func file(_ file: ForeignFile) throws(ImportRefusal) -> FlagSettings {
        var text = ForeignText(file)
        var settings = FlagSettings()
        var variables = FlagSettings()
        var refusal = ImportRefusal()
        while true {
            text.take(while: ForeignText.isSpace)
            guard !text.isAtEnd else { break }
            if text.next == UInt8(ascii: "#") {
                text.skipLine()
                continue
            }
            let place = text.place
            var name = text.take { isName($0) }
            if name == "export" {
                text.take(while: ForeignText.isBlank)
                name = text.take { isName($0) }
            }
            text.take(while: ForeignText.isBlank)
            do throws(ImportRefusal) {
                guard !name.isEmpty, text.next == UInt8(ascii: "=") else {
                    throw ImportRefusal(
                        place, expected: "name = value", found: "another line",
                        remedy: "give the file of settings that oauth2-proxy reads, or lines of \(prefix)NAME=value")
                }
                text.advance()
                if name.hasPrefix(prefix) {
                    let value = variable(text.take { $0 != UInt8(ascii: "\n") })
                    let name = String(name.dropFirst(prefix.count))
                    if FlagTable.row(name) == nil {
                        try variables.leave(unknown: name, at: place)
                    } else {
                        variables.set(try FlagValue.setting(name, [value], at: place))
                    }
                } else {
                    text.take(while: ForeignText.isBlank)
                    let values = try values(&text)
                    if FlagTable.row(name) == nil {
                        try settings.leave(unknown: name, at: place)
                    } else {
                        settings.set(try FlagValue.setting(name, values, at: place))
                    }
                    text.take(while: ForeignText.isBlank)
                    guard [0, UInt8(ascii: "\n"), UInt8(ascii: "#")].contains(text.next) else {
                        throw ImportRefusal(
                            text.place, expected: "the end of the line", found: "more behind the value",
                            remedy: "put a text in quotation marks, and several between brackets")
                    }
                }
            } catch { refusal.add(error) }
            text.skipLine()
        }
        guard refusal.isEmpty else { throw refusal }
        settings.override(with: variables)
        return settings
    }

    private static func isName(_ byte: UInt8) -> Bool {
        byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte >= 0x30 && byte <= 0x39 || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "-")
    }

    /// The value of a variable, without the quotation marks that shells and systemd take away.
    private static func variable(_ text: String) -> String {
        let bytes = Array(text.utf8).reversed().drop(while: ForeignText.isSpace).reversed()
        guard let first = bytes.first, bytes.count >= 2, first == bytes.last, first == 0x22 || first == 0x27 else {
            return String(decoding: bytes, as: UTF8.self)
        }
        return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    }

    /// One value, or several between brackets.
    private static func values(_ text: inout ForeignText) throws(ImportRefusal) -> [String] {
        guard text.next == UInt8(ascii: "[") else { return [try value(&text)] }
        let start = text.place
        text.advance()
        var found: [String] = []
        while true {
            text.take { ForeignText.isSpace($0) || $0 == UInt8(ascii: ",") }
            if text.next == UInt8(ascii: "#") {
                text.skipLine()
            } else if text.next == UInt8(ascii: "]") {
                text.advance()
                return found
            } else if text.isAtEnd {
                throw ImportRefusal(
                    start, expected: "a list that ends", found: "no ] behind it", remedy: "close it with ]")
            } else {
                found.append(try value(&text))
            }
        }
    }

    private static func value(_ text: inout ForeignText) throws(ImportRefusal) -> String {
        let place = text.place
        if text.next == UInt8(ascii: "\"") || text.next == UInt8(ascii: "'") {
            let isLiteral = text.next == UInt8(ascii: "'")
            guard let value = text.quoted(spansLines: false, unescape: { isLiteral ? nil : escapes[$0] }) else {
                throw ImportRefusal(
                    place, expected: "a text that ends on its line", found: "no quotation mark behind it",
                    remedy: "close it, and write \\\" for a mark within")
            }
            return value
        }
        let word = text.take { !ForeignText.isSpace($0) && !",]#".utf8.contains($0) }
        guard !word.isEmpty, word.utf8.allSatisfy({ isName($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "+") })
        else {
            throw ImportRefusal(
                place, expected: "a text in quotation marks, true, false or a number", found: "something else",
                remedy: "put a text in quotation marks")
        }
        return word
    }

    private static let escapes: [UInt8: UInt8] = [
        0x22: 0x22, 0x5C: 0x5C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "t"): 0x09, UInt8(ascii: "r"): 0x0D,
        UInt8(ascii: "/"): 0x2F,
    ]
}
