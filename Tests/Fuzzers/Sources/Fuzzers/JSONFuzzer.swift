import JSON

/// JSON as every token, key set and introspection answer spells it.
enum JSONFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        let value: JSONValue
        do throws(JSONRefusal) {
            value = try JSONValue.parse(input.span)
        } catch {
            hold(refusal(of: input) == error, "the same text is refused for the same reason")
            return .refused
        }
        let written = text(of: value)
        guard let again = try? JSONValue.parse(input.span), let back = try? JSONValue.parse(written.span)
        else { fatalError("an accepted text is accepted again, and so is what is written of it") }
        hold(text(of: again) == written, "the same text has the same value")
        hold(text(of: back) == written, "what is written of a value reads as that value")
        hold(refusal(of: input + [UInt8(ascii: ",")]) != nil, "nothing may follow a value")
        if value.kind == .object || value.kind == .array {
            // White space may stand behind the value: what counts is the bracket that ends it.
            let end = input.lastIndex { !" \t\r\n".utf8.contains($0) } ?? 0
            hold(refusal(of: Array(input[..<end])) != nil, "a text that ends early is refused")
        }
        checkNames(value)
        return .accepted
    }

    private static func refusal(of input: [UInt8]) -> JSONRefusal? {
        do throws(JSONRefusal) {
            _ = try JSONValue.parse(input.span)
            return nil
        } catch {
            return error
        }
    }

    private static func text(of value: JSONValue) -> [UInt8] {
        var writer = JSONWriter()
        writer.value(value)
        return writer.finish()
    }

    /// No object may say a name twice: two readers would take two different values for it.
    private static func checkNames(_ value: JSONValue) {
        let members = value.members
        hold(Set(members.map { Array($0.name.utf8) }).count == members.count, "names are different")
        for member in members {
            hold(value[member.name] != nil, "a member is found by its name")
            checkNames(member.value)
        }
        for element in value.elements { checkNames(element) }
    }
}
