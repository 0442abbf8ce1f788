import HTTPMessage
import TestSupport
import TestTraits
import Testing

@Suite struct `the tracestate field` {
    private static let broken: [[String]] = [
        ["a"], ["=1"], ["a="], ["a= "], ["A=1"], ["1=1"], ["a b=1"], ["a=b=c"], ["a=\u{7F}"], ["a=1\tb"], ["a=é"],
        ["a=1,a=2"], ["a=1", "a=1"], ["a@=1"], ["@b=1"], ["a@b@c=1"], ["a@1=1"], ["a=1;b\u{0}"], ["ok=1", "not"],
        [repeated("k", 257) + "=1"], ["a@" + repeated("k", 15) + "=1"], [repeated("k", 242) + "@b=1"],
        ["a=" + repeated("v", 257)], [(0..<33).map { "k\($0)=1" }.joined(separator: ",")],
    ]

    private static func repeated(_ letter: String, _ count: Int) -> String { String(repeating: letter, count: count) }

    /// The members of these lines behind one of ours that has 27 bytes; nil where they are no field.
    private func members(_ lines: [String], ours: Int = 27) -> [String]? {
        var head: [UInt8] = []
        var ranges: [ByteRange] = []
        for line in lines {
            // Something stands before and behind each in a head, and is no part of it.
            head += Array("x=y,".utf8)
            ranges.append(ByteRange(from: head.count, to: head.count + line.utf8.count))
            head += Array(line.utf8) + Array(",z=".utf8)
        }
        var state = TraceState()
        for range in ranges where !state.read(range, of: head.span) { return nil }
        state.fit(behind: ours, ofKey: Array("portcullis".utf8).span, in: head.span)
        return (0..<state.count).map { String(decoding: head[state[$0].range], as: UTF8.self) }
    }

    @Test(
        .holds("ECO-50"),
        arguments: [
            (["rojo=00f067aa0ba902b7"], ["rojo=00f067aa0ba902b7"]),
            (["congo=t61rcWkgMzE,rojo=1"], ["congo=t61rcWkgMzE", "rojo=1"]),
            (["congo=1", "rojo=2"], ["congo=1", "rojo=2"]), ([" a=1 \t,\t b=2 "], ["a=1", "b=2"]),
            (["a=1,,b=2", ""], ["a=1", "b=2"]), ([" , "], []), ([], []), (["a=  x"], ["a=  x"]),
            (["fw529a3039@dt=FfAAAA", "0t@x=1"], ["fw529a3039@dt=FfAAAA", "0t@x=1"]), (["a_-*/9=!~"], ["a_-*/9=!~"]),
            (["a=1,portcullis=00f067aa0ba902b7,b=2"], ["a=1", "b=2"]), (["portcullis=1"], []),
            (["portcullis@x=1"], ["portcullis@x=1"]),
        ] as [([String], [String])])
    func `W3C Trace Context section 3.3 is a list of members, ours taken out`(lines: [String], members: [String]) {
        #expect(self.members(lines) == members)
    }

    @Test(
        .refuses("ECO-50"), arguments: broken)
    func `W3C Trace Context section 3.3 what is no list is dropped whole`(lines: [String]) {
        #expect(members(lines) == nil)
    }

    @Test(.holds("ECO-50")) func `has 32 members with ours`() {
        let all = (0..<32).map { "k\($0)=1" }
        #expect(members([all.joined(separator: ",")]) == Array(all.prefix(31)))
        #expect(members([all.dropLast().joined(separator: ",")]) == Array(all.prefix(31)))
    }

    @Test(.holds("ECO-50")) func `W3C Trace Context section 3.3.1.5 of too long a list long members go first`() {
        let long = "long=" + String(repeating: "v", count: 200)
        let short = (0..<4).map { "k\($0)=" + String(repeating: "v", count: 97) }
        #expect(members([([long] + short).joined(separator: ",")]) == short)
        // 485 bytes with their commas are left beside ours; five members of 101 bytes are more.
        let five = (0..<5).map { "k\($0)=" + String(repeating: "v", count: 97) }
        #expect(members([five.joined(separator: ",")]) == short)
        #expect(members([long + ",a=1"]) == [long, "a=1"])
    }

    /// Whatever is taken fits, and is of members that were there, in their order.
    @Test(.holds("ECO-50"), .refuses("ECO-50")) func `never grows`() {
        var numbers = Numbers(seed: 51)
        var taken = 0
        for _ in 0..<3000 {
            let count = Int(numbers.next() % 40)
            let list = (0..<count).map { index in
                "k\(index)=" + String(repeating: "v", count: 1 + Int(numbers.next() % 40) * Int(numbers.next() % 3))
            }
            guard let members = members([list.joined(separator: ", ")]) else {
                #expect(count > 32)
                continue
            }
            taken += 1
            #expect(members.reduce(27) { $0 + $1.utf8.count + 1 } <= 512 && members.count < 32)
            var rest = list[...]
            for member in members {
                let place = rest.firstIndex(of: member)
                #expect(place != nil)
                rest = rest[(place ?? rest.startIndex)...].dropFirst()
            }
        }
        #expect(taken > 1000)
    }
}
