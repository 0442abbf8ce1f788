import TestSupport
import Testing

@testable import Configuration

@Suite struct `the YAML reader` {
    @Test func `keeps order, places and quotation`() throws {
        let root = try YAMLReader.read(Array("b: 1\na: ['x', \"é\", {c: z}]\n".utf8))
        guard case .mapping(let entries) = root.content else {
            Issue.record("no mapping")
            return
        }
        #expect(entries.map(\.key) == ["b", "a"])
        #expect(entries[1].keyPosition == Position(line: 2, column: 1))
        guard case .sequence(let elements) = entries[1].value.content else {
            Issue.record("no list")
            return
        }
        #expect(elements.map(\.position.column) == [5, 10, 15])
        guard case .scalar(let text, isPlain: false) = elements[1].content else {
            Issue.record("no quoted text")
            return
        }
        #expect(text == "é")
    }

    @Test func `hands duplicate keys on, for the loader to refuse`() throws {
        guard case .mapping(let entries) = try YAMLReader.read(Array("a: 1\na: 2\n".utf8)).content else {
            Issue.record("no mapping")
            return
        }
        #expect(entries.map(\.key) == ["a", "a"])
    }

    @Test(
        arguments: [
            ("a: &x 1\n", .anchorOrAlias, 4), ("a: &x [1]\n", .anchorOrAlias, 4), ("a: &x {b: 1}\n", .anchorOrAlias, 4),
            ("a: *x\n", .anchorOrAlias, 4), ("&x a: 1\n", .anchorOrAlias, 1),
            ("a: !!str 1\n", .tag, 4), ("a: ! 1\n", .tag, 4), ("a: !x [1]\n", .tag, 4), ("a: !x {}\n", .tag, 4),
            ("{a: 1}: 2\n", .keyNotText, 1), ("? [a]\n: 2\n", .keyNotText, 3),
            ("", .empty, 1), ("---\n...\n---\n", .secondDocument, 1),
        ] as [(String, YAMLRefusal.Cause, Int)])
    func `refuses what a configuration has no use for`(text: String, cause: YAMLRefusal.Cause, column: Int) {
        do throws(YAMLRefusal) {
            _ = try YAMLReader.read(Array(text.utf8))
            Issue.record("\(text) was read")
        } catch {
            #expect(error.cause == cause)
            #expect(error.position.column == column)
        }
    }

    @Test(
        arguments: [
            ("a: [b", 1, 6), ("a: 1\nb: [é", 2, 6), ("a: 1\r\nb: {c: \"d", 2, 8), ("[", 1, 2), ("a: [b\n", 2, 1),
            ("# é", 1, 4),
        ])
    func `says where a text ends that should go on`(text: String, line: Int, column: Int) {
        do throws(YAMLRefusal) {
            _ = try YAMLReader.read(Array(text.utf8))
            Issue.record("\(text) was read")
        } catch {
            #expect(error.position == Position(line: line, column: column), "\(text)")
        }
    }

    @Test func `reads 31 levels and refuses 33`() throws {
        let deep = String(repeating: "[", count: 31) + String(repeating: "]", count: 31)
        _ = try YAMLReader.read(Array(deep.utf8))
        for open in ["[", "{a: ", "- "] {
            let text = String(repeating: open, count: 33) + "x"
            do throws(YAMLRefusal) {
                _ = try YAMLReader.read(Array(text.utf8))
                Issue.record("33 times \(open) was read")
            } catch {
                #expect(error.cause == .tooDeep)
            }
        }
    }

    @Test func `survives the reference cut at every byte`() {
        let bytes = Array(ReferenceText.yaml.utf8.prefix(3000))
        for cut in everyStart(of: bytes) { _ = try? YAMLReader.read(cut) }
    }

    @Test func `survives every byte at every place of a small document`() {
        let document = Array("a: [b, {c: \"d\"}]\n".utf8)
        for changed in everyChange(of: document) { _ = try? YAMLReader.read(changed.bytes) }
    }
}
