/// Reads one scalar as its shape wants it.
struct ScalarCheck {
    enum Outcome {
        case fits(CheckedValue.Content)
        /// Of the right type, but against a rule.
        case fault(TextFault)
        /// Of another type.
        case misfit
    }

    let text: String
    let meaning: ScalarValue
    let shape: Shape

    var outcome: Outcome {
        switch shape {
        case .text(let shape): textOutcome(shape)
        case .word(let words, let never): wordOutcome(words, never)
        case .scalar: scalarOutcome
        case .integer(let range): integerOutcome(range)
        case .duration(let duration): durationOutcome(duration)
        case .byteCount(let range, let acceptsUnlimited): byteCountOutcome(range, acceptsUnlimited)
        case .boolean: booleanOutcome
        case .onlyTrue: onlyTrueOutcome
        case .list, .object, .entries, .json, .either: .misfit
        }
    }

    private func textOutcome(_ shape: TextShape) -> Outcome {
        switch meaning {
        case .text: shape.fault(text).map { .fault($0) } ?? .fits(.text(text))
        // YAML 1.1, and whatever writes it, makes false of  off .
        case .boolean(false) where shape.hasOff:
            .fault(TextFault(remedy: "write it as  \"off\"  with the quotation marks"))
        case .integer, .number, .boolean:
            // A port alone is no text either way.
            .fault(shape.fault(text) ?? TextFault(remedy: "put it in quotation marks: \"\(text)\""))
        case .null: .misfit
        }
    }

    private func wordOutcome(_ words: [String], _ never: [String: String]) -> Outcome {
        if meaning == .boolean(false), words.contains("off") {
            return .fault(TextFault(remedy: "write it as  \"off\"  with the quotation marks"))
        }
        guard meaning == .text else {
            return words.contains(text) ? .fault(TextFault(remedy: "put it in quotation marks: \"\(text)\"")) : .misfit
        }
        guard words.contains(text) else {
            if let remedy = never[text.lowercased()] { return .fault(TextFault(remedy: remedy)) }
            return .fault(TextFault(remedy: Suggestion.remedy(for: text, among: words, called: "words")))
        }
        return .fits(.text(text))
    }

    private var scalarOutcome: Outcome {
        switch meaning {
        case .text, .integer, .boolean: .fits(.text(text))
        case .number: .fault(TextFault(remedy: "put it in quotation marks: \"\(text)\""))
        case .null: .misfit
        }
    }

    private func integerOutcome(_ range: ClosedRange<Int>) -> Outcome {
        guard case .integer(let integer) = meaning else {
            let isQuotedNumber = meaning == .text && Int(text) != nil
            return isQuotedNumber ? .fault(TextFault(remedy: "write it without quotation marks")) : .misfit
        }
        guard range.contains(integer) else {
            return .fault(TextFault(remedy: "choose a number from \(range.lowerBound) to \(range.upperBound)"))
        }
        return .fits(.integer(integer))
    }

    private func durationOutcome(_ duration: DurationShape) -> Outcome {
        if case .integer = meaning {
            let units = duration.step == .seconds ? "\(text)s" : "\(text)ms or \(text)s"
            return .fault(TextFault(remedy: "say the unit: \(units)"))
        }
        guard meaning == .text, let milliseconds = DurationText.milliseconds(text) else {
            return meaning == .null
                ? .misfit : .fault(TextFault(remedy: "write a whole number and one of ms, s, m, h, such as 30s"))
        }
        let shortest = DurationText.text(duration.range.lowerBound)
        let longest = DurationText.text(duration.range.upperBound)
        guard duration.range.contains(milliseconds), milliseconds % duration.step.rawValue == 0 else {
            return .fault(TextFault(remedy: "choose a duration from \(shortest) to \(longest)"))
        }
        return .fits(.milliseconds(milliseconds))
    }

    private func byteCountOutcome(_ range: ClosedRange<Int>, _ acceptsUnlimited: Bool) -> Outcome {
        if acceptsUnlimited, meaning == .text, text == "unlimited" { return .fits(.byteCount(nil)) }
        if case .integer(let count) = meaning {
            // A number that is a size in bytes already is no number of KiB.
            let larger = count < 1024 ? " or \(text)KiB" : ""
            return .fault(TextFault(remedy: "say the unit: \(text)B\(larger)"))
        }
        guard meaning == .text, let bytes = ByteCountText.bytes(text) else {
            return meaning == .null
                ? .misfit : .fault(TextFault(remedy: "write a whole number and one of B, KiB, MiB, GiB, such as 64KiB"))
        }
        guard range.contains(bytes) else {
            let smallest = ByteCountText.text(range.lowerBound)
            return .fault(
                TextFault(remedy: "choose a size from \(smallest) to \(ByteCountText.text(range.upperBound))"))
        }
        return .fits(.byteCount(bytes))
    }

    private var onlyTrueOutcome: Outcome {
        switch meaning {
        case .boolean(true): .fits(.flag(true))
        // Never advise to write true here: it opens what somebody meant to keep closed.
        case .text where ["yes", "on", "true"].contains(text.lowercased()):
            // Here somebody meant to open it.
            .fault(
                TextFault(
                    remedy: text == "true"
                        ? "say  true  without quotation marks"
                        : "say  true , the only value there is; \(Quoted.text(text)) is a text"))
        case .text, .null:
            .fault(TextFault(remedy: "say  true , the only value there is, if it is meant; otherwise leave it out"))
        case .boolean(false), .integer, .number:
            .fault(TextFault(remedy: "leave it out: it is true by being there, or not there at all"))
        }
    }

    /// Where only the marks are wrong: a plain `true` would have fitted.
    private func withoutMarks(_ word: String) -> String { text == word ? "  without quotation marks" : "" }

    private var booleanOutcome: Outcome {
        if case .boolean(let flag) = meaning { return .fits(.flag(flag)) }
        switch text.lowercased() {
        case "yes", "on", "true": return .fault(TextFault(remedy: "write it as  true\(withoutMarks("true"))"))
        case "no", "off", "false": return .fault(TextFault(remedy: "write it as  false\(withoutMarks("false"))"))
        default: return .misfit
        }
    }
}
