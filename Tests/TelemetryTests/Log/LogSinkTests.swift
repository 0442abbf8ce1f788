import Glibc
import Telemetry
import TestSupport
import TestTraits
import Testing

/// A pipe whose write end a sink may have.
private final class Pipe {
    let reading: Int32
    let writing: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        // A program that another test starts must not hold an end: whoever reads to the end would wait for that program.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }

    /// Holds no more than a page from now on.
    func shrink() throws {
        // F_SETPIPE_SZ
        try #require(fcntl(writing, Int32(1031), 4096) == 4096)
    }

    deinit { close(reading) }

}

/// What comes until the write end is closed.
private func rest(of descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { break }
        bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
}

/// One finished line `{"n":N}` whose value is padded to many bytes.
private func submit(_ number: Int, padding: Int = 0, to sink: LogSink) -> Bool {
    var line = LogLine(capacity: 1024)
    line.begin()
    line.member("n", Int64(number))
    if padding > 0 { line.member("p", [UInt8](repeating: 0x78, count: padding).span, limit: padding) }
    line.end()
    return sink.submit(&line)
}

@Suite struct `a log sink` {
    @Test func `writes the lines of one thread in order and all of them before it stops`() throws {
        let pipe = try Pipe()
        let sink = try LogSink(descriptor: pipe.writing, closesDescriptor: true)
        for number in 0..<500 { #expect(submit(number, to: sink)) }
        #expect(sink.stop(milliseconds: 60_000))
        #expect(rest(of: pipe.reading).split(separator: "\n") == (0..<500).map { "{\"n\":\($0)}" })
        #expect(sink.droppedLines == 0)
    }

    @Test func `has written what was submitted when a flush says so`() throws {
        let pipe = try Pipe()
        let sink = try LogSink(descriptor: pipe.writing, closesDescriptor: true)
        #expect(submit(1, to: sink))
        #expect(sink.flush(milliseconds: 60_000))
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = buffer.withUnsafeMutableBytes { read(pipe.reading, $0.baseAddress, $0.count) }
        #expect(String(decoding: buffer[..<max(count, 0)], as: UTF8.self) == "{\"n\":1}\n")
        #expect(sink.stop(milliseconds: 60_000))
    }

    @Test(.refuses("OPS-04")) func `a reader that takes nothing does not make the writer wait`() throws {
        let pipe = try Pipe()
        try pipe.shrink()
        let sink = try LogSink(descriptor: pipe.writing, closesDescriptor: true, limit: 256 * 1024)
        // A line that the pipe does not hold: whenever it begins with it, the writing thread does not get to its end.
        #expect(submit(0, padding: 20_000, to: sink))
        // More than the pipe and the queue hold: whoever waited here would wait for ever, for nobody reads.
        var refused = 0
        for number in 1..<4000 where !submit(number, padding: 500, to: sink) { refused += 1 }
        #expect(refused > 0)
        #expect(sink.droppedLines == UInt64(refused))
        #expect(!sink.flush(milliseconds: 1))
        #expect(!sink.stop(milliseconds: 1))
        let lines = rest(of: pipe.reading).split(separator: "\n")
        #expect(lines.count == 4000 - refused)
        #expect(lines.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
        #expect(sink.stop(milliseconds: 60_000))
    }

    @Test(.refuses("OPS-05")) func `what waits for a stalled reader is bounded, however small the lines`() throws {
        let pipe = try Pipe()
        try pipe.shrink()
        let limit = 256 * 1024
        let sink = try LogSink(descriptor: pipe.writing, closesDescriptor: true, limit: limit)
        // More than the pipe holds: whenever it begins with it, the writing thread does not get to its end.
        #expect(submit(0, padding: 20_000, to: sink))
        for number in 1..<60_000 { _ = submit(number, to: sink) }
        #expect(sink.droppedLines > 0)
        #expect(!sink.stop(milliseconds: 1))
        // One storage may be on its way.
        #expect(rest(of: pipe.reading).utf8.count <= limit + 128 * 1024)
        #expect(sink.stop(milliseconds: 60_000))
    }

    @Test func `has written lines that were gathered behind a stalled reader when a flush says so`() throws {
        let pipe = try Pipe()
        let sink = try LogSink(descriptor: pipe.writing, closesDescriptor: true)
        // More than a pipe holds, so that the writer stands still and later lines are gathered in one storage.
        for number in 0..<2000 { #expect(submit(number, padding: 100, to: sink)) }
        #expect(!sink.flush(milliseconds: 0))
        var lines = 0
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while lines < 2000 {
            let count = buffer.withUnsafeMutableBytes { read(pipe.reading, $0.baseAddress, $0.count) }
            try #require(count > 0)
            lines += buffer[..<count].count { $0 == UInt8(ascii: "\n") }
        }
        #expect(lines == 2000)
        #expect(sink.flush(milliseconds: 60_000))
        #expect(sink.stop(milliseconds: 60_000))
    }

    @Test(.holds("OPS-05")) func `a reader that comes back gets later lines`() throws {
        let pipe = try Pipe()
        let sink = try LogSink(descriptor: pipe.writing, closesDescriptor: true, limit: 32 * 1024)
        var number = 0
        while submit(number, padding: 500, to: sink) { number += 1 }
        let dropped = sink.droppedLines
        #expect(dropped == 1)
        // Makes room: as much as one storage of waiting lines.
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var last = false
        while !last {
            _ = buffer.withUnsafeMutableBytes { read(pipe.reading, $0.baseAddress, $0.count) }
            last = submit(-1, to: sink)
        }
        _ = sink.stop(milliseconds: 0)
        #expect(rest(of: pipe.reading).hasSuffix("{\"n\":-1}\n"))
    }

    @Test func `leaves the line builder empty and usable whether lines are taken or dropped`() throws {
        let pipe = try Pipe()
        let sink = try LogSink(descriptor: pipe.writing, closesDescriptor: true)
        #expect(sink.stop(milliseconds: 60_000))
        var line = LogLine()
        line.begin()
        line.end()
        let isTaken = sink.submit(&line)
        #expect(!isTaken)
        #expect(line.count == 0 && line.lines == 0)
        line.begin()
        line.end()
        #expect(line.bytes == Array("{}\n".utf8))
        #expect(sink.droppedLines == 1)
    }

    @Test func `counts the lines of a destination that fails, and the process lives on`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        // A program that another test starts must not hold an end: whoever reads to the end would wait for that program.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // Nobody will ever read: write(2) raises SIGPIPE, which must not end us.
        Inheritance.whileNothingIsSpawned { _ = close(ends[0]) }
        let sink = try LogSink(descriptor: ends[1], closesDescriptor: true)
        for number in 0..<3 { #expect(submit(number, to: sink)) }
        #expect(sink.stop(milliseconds: 60_000))
        #expect(sink.droppedLines == 3)
    }

    @Test func `appends to a file that only its owner can write and its group can read`() throws {
        let path = "/tmp/portcullis-log-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        defer { unlink(path) }
        umask(0o022)
        for number in 0..<2 {
            let sink = try LogSink.appending(to: path)
            #expect(submit(number, to: sink))
            #expect(sink.stop(milliseconds: 60_000))
        }
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o640)
        #expect(status.st_size == 16)
    }

    @Test func `says why a file cannot be opened`() {
        #expect(throws: LogRefusal.cannotOpen(path: "/nonexistent/log", errorNumber: ENOENT)) {
            try LogSink.appending(to: "/nonexistent/log")
        }
    }
}

@Suite struct `a worker's end of a log` {
    @Test func `keeps lines until it is flushed or many have gathered`() throws {
        let pipe = try Pipe()
        let sink = try LogSink(descriptor: pipe.writing, closesDescriptor: true)
        var writer = LogWriter(sink: sink, threshold: 20)
        for number in 0..<3 {
            writer.line.begin()
            writer.line.member("number", Int64(number))
            writer.finishLine()
        }
        #expect(writer.line.lines == 1)
        writer.flush()
        #expect(writer.line.lines == 0)
        #expect(sink.stop(milliseconds: 60_000))
        #expect(rest(of: pipe.reading) == "{\"number\":0}\n{\"number\":1}\n{\"number\":2}\n")
    }
}
