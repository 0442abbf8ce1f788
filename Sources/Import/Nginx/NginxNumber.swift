/// Numbers with units, as nginx writes them.
enum NginxNumber {
    /// Seconds; a number alone is seconds.
    static func seconds(_ text: String) -> Int? {
        guard let (number, unit) = split(text) else { return nil }
        let scale = ["": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800][unit]
        return scale.map { number * $0 }
    }

    /// A size of ours; nil for none, and for zero, which is no limit.
    static func bytes(_ text: String) -> String? {
        guard let (number, unit) = split(text.lowercased()), number > 0 else { return nil }
        return ["": "B", "k": "KiB", "m": "MiB", "g": "GiB"][unit].map { "\(number)\($0)" }
    }

    private static func split(_ text: String) -> (Int, String)? {
        let digits = text.prefix { $0 >= "0" && $0 <= "9" }
        guard !digits.isEmpty, digits.utf8.count <= 9, let number = Int(digits) else { return nil }
        return (number, String(text.dropFirst(digits.count)))
    }
}
