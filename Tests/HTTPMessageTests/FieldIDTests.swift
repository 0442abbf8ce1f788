import HTTPMessage
import TestTraits
import Testing

@Suite struct `field names` {
    private func identify(_ name: String) -> FieldID {
        FieldID.identify(Array(name.utf8).span)
    }

    @Test(.holds("HTTP-12"), arguments: FieldID.allCases.dropFirst())
    func `every name is identified in every case`(id: FieldID) {
        let name = id.name
        #expect(identify(name) == id)
        #expect(identify(name.lowercased()) == id)
        #expect(identify(name.uppercased()) == id)
        let alternating = String(
            name.enumerated().map { $0 % 2 == 0 ? Character($1.lowercased()) : Character($1.uppercased()) })
        #expect(identify(alternating) == id)
    }

    @Test(.holds("HTTP-12"), arguments: FieldID.allCases.dropFirst())
    func `a name that differs in one octet is another name`(id: FieldID) {
        let name = Array(id.name.utf8)
        for place in name.indices {
            var other = name
            // Folding must not let these through: they differ from a letter or dash in bit 5, or in the top bit.
            for octet in [name[place] ^ 0x80, name[place] ^ 0x40, name[place] & 0x1f, 0x5f, 0x2e, name[place] &+ 1] {
                other[place] = octet
                guard String(decoding: other, as: UTF8.self).lowercased() != id.name.lowercased() else { continue }
                if FieldID.identify(other.span) == id { Issue.record("\(other)") }
            }
            other = name
            other.remove(at: place)
            #expect(FieldID.identify(other.span) != id)
            other = name
            other.insert(0x78, at: place)
            #expect(FieldID.identify(other.span) != id)
        }
        #expect(FieldID.identify((name + [0]).span) == .other)
        #expect(FieldID.identify((name + [0x20]).span) == .other)
        #expect(FieldID.identify(([0] + name).span) == .other)
    }

    @Test(
        .holds("HTTP-12"),
        arguments: [
            "", "x", "te ", "\rate", "\0\0", "hos", "content\rlength", "content_length", "x-forwarded-fo",
            "X_Forwarded_For",
        ])
    func `anything else is another name`(name: String) {
        #expect(identify(name) == .other)
        #expect(FieldID.other.name.isEmpty)
    }

    @Test func `names longer than any of ours are others`() {
        for count in 30...70 { #expect(identify(String(repeating: "a", count: count)) == .other) }
    }

    @Test func `names are listed once`() {
        #expect(Set(FieldID.allCases.map { $0.name.lowercased() }).count == FieldID.count)
        #expect(FieldID.allCases.allSatisfy { Int($0.rawValue) < FieldID.count })
    }
}

@Suite struct `field list` {
    private func slot(_ id: FieldID, at start: Int32 = 0) -> FieldSlot {
        FieldSlot(
            line: ByteRange(start: start, count: 6), name: ByteRange(start: start, count: 1),
            value: ByteRange(start: start + 2, count: 1), id: id)
    }

    @Test func `lines are kept in order and found by name`() {
        var list = FieldList()
        for (index, id) in [FieldID.host, .cookie, .other, .cookie].enumerated() {
            list.append(slot(id, at: Int32(index) * 6))
        }
        #expect(list.count == 4)
        #expect(list[3].line.start == 18)
        #expect(list[3].line.end == 24)
        #expect(list.count(of: .cookie) == 2)
        #expect(list.firstIndex(of: .cookie) == 1)
        #expect(list.firstIndex(of: .host) == 0)
        #expect(list.count(of: .origin) == 0)
        #expect(list.firstIndex(of: .origin) == -1)
    }

    @Test func `a cleared list remembers nothing`() {
        var list = FieldList()
        for id in FieldID.allCases { list.append(slot(id)) }
        list.clear()
        #expect(list.count == 0)
        for id in FieldID.allCases {
            #expect(list.count(of: id) == 0)
            #expect(list.firstIndex(of: id) == -1)
        }
        list.append(slot(.via))
        #expect(list.firstIndex(of: .via) == 0)
    }

    @Test(.refuses("HTTP-65")) func `a full list takes no more`() {
        var list = FieldList()
        for _ in 0..<FieldList.capacity {
            let isTaken = list.append(slot(.cookie))
            #expect(isTaken)
        }
        let isTaken = list.append(slot(.host))
        #expect(!isTaken)
        #expect(list.count == FieldList.capacity)
        #expect(list.count(of: .cookie) == FieldList.capacity)
        #expect(list.count(of: .host) == 0)
    }
}
