import Foundation
import JSON
import TestSupport
import TestTraits
import Testing

@Suite struct `each class of text` {
    @Test(.holds("JOSE-03"), arguments: GrammarCase.accepted)
    func `that every reader accepts is read, and as another reader reads it`(text: GrammarCase) throws {
        let value = try JSONValue.parse(text.text.span)
        let other = try JSONSerialization.jsonObject(with: Data(text.text), options: .fragmentsAllowed)
        #expect(isEqual(value, other), "\(other)")
    }

    @Test(.refuses("JOSE-03"), arguments: GrammarCase.refused)
    func `that every reader refuses is refused, for what is wrong with it`(text: GrammarCase) throws {
        let refusal = try #require(text.refusal, "a text that every reader refuses")
        #expect(throws: refusal) { try JSONValue.parse(text.text.span) }
    }

    @Test(.refuses("JOSE-03", "JOSE-04"), arguments: GrammarCase.decided)
    func `that readers differ about is what we have decided`(text: GrammarCase) throws {
        if let refusal = text.refusal {
            #expect(throws: refusal) { try JSONValue.parse(text.text.span) }
        } else {
            _ = try JSONValue.parse(text.text.span)
        }
    }

    @Test(.holds("JOSE-03"), arguments: GrammarCase.accepted)
    func `that is read is the same value inside of others, and when it is written again`(text: GrammarCase) throws {
        let value = try JSONValue.parse(text.text.span)
        let outer = Array(#"{"before":[0],"it":"#.utf8) + text.text + Array(#","behind":"\u0041"}"#.utf8)
        let inside = try #require(try JSONValue.parse(outer.span)["it"])
        var (alone, nested) = (JSONWriter(), JSONWriter())
        alone.value(value)
        nested.value(inside)
        #expect(alone.bytes == nested.bytes)
        let again = try JSONValue.parse(alone.bytes.span)
        var second = JSONWriter()
        second.value(again)
        #expect(second.bytes == alone.bytes, "what was written once is written the same again")
    }

    @Test(.refuses("JOSE-03"), arguments: GrammarCase.accepted)
    func `that is cut short is refused, unless it is a shorter number`(text: GrammarCase) {
        let whole = text.text.reversed().drop { $0 <= 0x20 }.reversed().map { $0 }
        for start in everyStart(of: whole) {
            guard let value = try? JSONValue.parse(start.span) else { continue }
            #expect(value.kind == .number, "\(String(decoding: start, as: UTF8.self))")
        }
    }

    @Test func `has a name of its own, and there are as many as the public suites have`() {
        let all = GrammarCase.accepted + GrammarCase.refused + GrammarCase.decided
        #expect(Set(all.map(\.name)).count == all.count)
        #expect(Set(all.map(\.text)).count == all.count, "a text stands for one class")
        #expect(GrammarCase.accepted.allSatisfy { $0.name.hasPrefix("y_") && $0.refusal == nil })
        #expect(GrammarCase.refused.allSatisfy { $0.name.hasPrefix("n_") && $0.refusal != nil })
        #expect(GrammarCase.decided.allSatisfy { $0.name.hasPrefix("i_") })
        #expect(all.count >= 240)
        let bounds: Set<JSONRefusal> = [.tooLong, .tooManyMembers, .tooManyElements]
        #expect(Set(all.compactMap(\.refusal)).union(bounds) == Set(JSONRefusal.allCases), "each refusal has its case")
    }

    /// Whether the other reader, which keeps objects as dictionaries and numbers as doubles, has read the same.
    private func isEqual(_ value: JSONValue, _ other: Any) -> Bool {
        switch value.kind {
        case .object:
            guard let members = other as? [String: Any], members.count == value.count else { return false }
            return value.members.allSatisfy { member in members[member.name].map { isEqual(member.value, $0) } == true }
        case .array:
            guard let elements = other as? [Any], elements.count == value.count else { return false }
            return zip(value.elements, elements).allSatisfy { isEqual($0, $1) }
        case .string: return (other as? String).map { Array($0.utf8) } == value.utf8
        case .number: return (other as? NSNumber)?.doubleValue == value.number
        case .bool: return (other as? NSNumber)?.boolValue == value.bool
        case .null: return other is NSNull
        }
    }
}

@Suite struct `the bounds of a text` {
    private func array(of count: Int) -> String {
        "[" + String(repeating: "0,", count: count - 1) + "0]"
    }

    @Test(.refuses("JOSE-03")) func `are 4,096 elements, a mebibyte and 16 levels unless said otherwise`() throws {
        #expect(try parse(array(of: 4096)).count == 4096)
        #expect(throws: JSONRefusal.tooManyElements) { try parse(array(of: 4097)) }
        let longest = "\"" + String(repeating: "a", count: 1024 * 1024 - 2) + "\""
        #expect(try parse(longest).utf8Count == 1024 * 1024 - 2)
        #expect(throws: JSONRefusal.tooLong) { try parse(longest + " ") }
        let owned = Array((longest + " ").utf8)
        #expect(throws: JSONRefusal.tooLong) { try JSONValue.parse(owned: owned) }
    }

    @Test(.refuses("JOSE-03")) func `hold for the objects of an array each, and for arrays in objects`() throws {
        let limits = JSONLimits(depth: 3, members: 2, elements: 2)
        _ = try parse(#"[{"a":[1,2],"b":[]},{"a":0,"b":0}]"#, limits: limits)
        #expect(throws: JSONRefusal.tooManyMembers) { try parse(#"[{"a":0,"b":0,"c":0}]"#, limits: limits) }
        #expect(throws: JSONRefusal.tooManyElements) { try parse(#"{"a":[[],[],[]]}"#, limits: limits) }
        #expect(throws: JSONRefusal.tooDeep) { try parse(#"[{"a":[[]]}]"#, limits: limits) }
    }

    @Test(.refuses("JOSE-03")) func `are never deeper than 128 levels, whatever is asked for`() throws {
        let nested = { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) }
        let limits = JSONLimits(depth: .max)
        _ = try parse(nested(128), limits: limits)
        #expect(throws: JSONRefusal.tooDeep) { try parse(nested(129), limits: limits) }
    }

    @Test(.holds("JOSE-03")) func `of what is filled to its bytes are the bytes alone`() throws {
        let text = array(of: 10_000)
        let limits = JSONLimits.filled(to: text.utf8.count)
        #expect(try parse(text, limits: limits).count == 10_000)
        #expect(throws: JSONRefusal.tooLong) { try parse(text + " ", limits: limits) }
    }

    @Test func `are what their refusals say should have been kept to`() {
        #expect(JSONRefusal.tooDeep.expectation == "with at most 16 objects and arrays inside one another")
        #expect(JSONRefusal.tooManyMembers.expectation == "with at most 256 members in an object")
        #expect(JSONRefusal.tooManyElements.expectation == "with at most 4096 elements in an array")
        #expect(JSONRefusal.tooLong.expectation == "of at most 1048576 bytes")
        let others = JSONRefusal.allCases.filter {
            ![.tooDeep, .tooManyMembers, .tooManyElements, .tooLong].contains($0)
        }
        #expect(others.allSatisfy { $0.expectation == "in strict JSON" })
    }
}
