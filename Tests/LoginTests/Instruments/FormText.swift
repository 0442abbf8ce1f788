import Bytes

/// Queries and forms as the other side writes and reads them.
enum FormText {
    static func encode(_ pairs: [(String, String)]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (name, value) in pairs {
            let value = Array(value.utf8)
            FormEncoding.appendParameter(name, value.span, to: &bytes)
        }
        return bytes
    }

    static func decode(_ text: some Collection<UInt8>) -> [(String, String)] {
        text.split(separator: UInt8(ascii: "&")).map { pair in
            let sign = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            return (plain(pair[..<sign]), plain(pair[sign...].dropFirst()))
        }
    }

    /// The parameters of a URL's query.
    static func query(of url: String) -> [(String, String)] {
        guard let mark = url.firstIndex(of: "?") else { return [] }
        return decode(url[url.index(after: mark)...].prefix { $0 != "#" }.utf8.map { $0 })
    }

    private static func plain(_ text: some Collection<UInt8>) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                if let high = rest.popFirst().flatMap(ASCII.hexValue), let low = rest.popFirst().flatMap(ASCII.hexValue)
                {
                    bytes.append(high << 4 | low)
                }
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [(String, String)] {
    /// The value of the one parameter of that name; nil for none, and for several.
    subscript(_ name: String) -> String? {
        let values = filter { $0.0 == name }
        return values.count == 1 ? values[0].1 : nil
    }

    var names: Set<String> { Set<String>(map(\.0)) }
}
