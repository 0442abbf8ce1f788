import RESP
import TestTraits
import Testing

@Suite struct `a command` {
    private func text(_ command: Command) -> String {
        var output: [UInt8] = []
        command.write(to: &output)
        #expect(output.count == command.byteCount)
        return String(decoding: output, as: UTF8.self)
    }

    @Test(.holds("SH-48")) func `is an array of counted strings`() {
        var command = Command("SET")
        command.append(Array("pc:p:x".utf8).span)
        command.append("1")
        command.append("NX")
        command.append("PX")
        command.append(90_000)
        #expect(
            text(command)
                == "*6\r\n$3\r\nSET\r\n$6\r\npc:p:x\r\n$1\r\n1\r\n$2\r\nNX\r\n$2\r\nPX\r\n$5\r\n90000\r\n")
        #expect(command.count == 6)
    }

    @Test(.holds("SH-48"), .refuses("SH-48")) func `has any bytes in an argument, and none of them begins another`()
        throws
    {
        let all = Array(UInt8.min...UInt8.max) + Array("\r\n*1\r\n$8\r\nFLUSHALL\r\n".utf8)
        var command = Command("GET")
        command.append(all.span)
        var output: [UInt8] = []
        command.write(to: &output)
        // A command has the form of a reply, so the strict reader of those finds its arguments.
        var reader = ReplyReader()
        #expect(try reader.advance(output.span) == output.count)
        let reply = try #require(Strings(output))
        #expect(reply.strings == [Array("GET".utf8), all])
    }

    @Test func `has empty arguments`() {
        var command = Command("SET")
        command.append([UInt8]().span)
        #expect(text(command) == "*2\r\n$3\r\nSET\r\n$0\r\n\r\n")
    }

    @Test(arguments: [
        (0, "0"), (7, "7"), (-1, "-1"), (10, "10"), (1_000_000, "1000000"), (Int.max, "9223372036854775807"),
        (Int.min, "-9223372036854775808"),
    ])
    func `has numbers in decimal`(number: Int, expected: String) {
        var command = Command("X")
        command.append(number)
        #expect(text(command) == "*2\r\n$1\r\nX\r\n$\(expected.utf8.count)\r\n\(expected)\r\n")
    }

    @Test func `is begun anew in the memory of another`() {
        var command = Command("SET")
        command.append("a")
        command.begin("GET")
        command.append("b")
        #expect(text(command) == "*2\r\n$3\r\nGET\r\n$1\r\nb\r\n")
    }

    @Test(.refuses("SH-52")) func `shows its name, and no argument`() {
        var command = Command("AUTH")
        command.append("portcullis")
        command.append("hunter2")
        var dumped = ""
        dump(command, to: &dumped)
        for shown in ["\(command)", String(reflecting: command), dumped] {
            #expect(!shown.contains("hunter2") && !shown.contains("104"), "\(shown)")
        }
        #expect("\(command)" == "AUTH with 2 arguments")
    }
}

/// The strings of an array of strings.
struct Strings {
    var strings: [[UInt8]] = []

    init?(_ bytes: [UInt8]) {
        guard let reply = Reply(bytes.span), reply.kind == .array else { return nil }
        var elements = reply.elements
        while let element = elements.next() { strings.append(element.bytes.indices.map { element.bytes[$0] }) }
        guard strings.count == reply.integer else { return nil }
    }
}
