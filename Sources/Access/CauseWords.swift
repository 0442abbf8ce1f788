/// Causes of the modules below, in words for an operator's line: their enums are named for developers.
package enum CauseWords {
    /// `dotSegment` as "dot segment", `keySet(JOSERefusal.keySetTooLarge)` as "key set: key set too large".
    ///
    /// Texts that a case carries stay as they are. Not for the hot path.
    package static func of(_ cause: some Error) -> String {
        let dump = "\(cause)"
        // What a case carries may be a stranger's text: only what stands before it is ours to read.
        let ours = dump.prefix { $0 != "\"" }
        let payload = dump.dropFirst(ours.count)
        let open = ours.count { $0 == "(" }
        var words = ours.split { "()".contains($0) }.map { phrase(label($0)) }
        if !payload.isEmpty {
            var text = payload
            while text.last == ")", payload.count - text.count < open { text.removeLast() }
            // A dump escapes more than a reader needs, and every log escapes it once more: what moves a cursor stays so.
            words.append(String(text).replacing("\\\"", with: "'").replacing("\\'", with: "'"))
        }
        return words.joined(separator: ": ")
    }

    /// What stands before a text that a case carries, without the colon that another one is put behind.
    private static func label(_ part: Substring) -> Substring {
        var part = part
        while part.last == " " || part.last == ":" { part.removeLast() }
        return part
    }

    /// One case name, without the types it is qualified with, as lower-case words; acronyms stay.
    private static func phrase(_ name: Substring) -> String {
        let name = name.split(separator: ".").last ?? name
        var result = ""
        var previous: Character = " "
        for (index, character) in zip(name.indices, name) {
            let next = name[index...].dropFirst().first
            let beginsWord =
                character.isUppercase && (previous.isLowercase || (previous.isUppercase && next?.isLowercase == true))
            if beginsWord { result += " " }
            let isAcronym = previous.isUppercase || next.map { $0.isUppercase || $0.isNumber } ?? true
            result += character.isUppercase && !isAcronym ? character.lowercased() : String(character)
            previous = character
        }
        return result
    }
}
