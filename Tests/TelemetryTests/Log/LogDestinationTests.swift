import Foundation
import Glibc
import Synchronization
import Telemetry
import TestTraits
import Testing

/// A folder of its own for a test's log.
private final class Folder {
    let path: String

    init() throws {
        var name = Array("/tmp/portcullis-logs-XXXXXX".utf8CString)
        try #require(mkdtemp(&name) != nil)
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var log: String { path + "/log" }

    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// What became of attempts to open a file anew.
private final class Reports: Sendable {
    let all = Mutex<[LogRefusal?]>([])

    func note(_ refusal: LogRefusal?) { all.withLock { $0.append(refusal) } }
}

/// Bytes of padding with which no pipe holds a line: whenever it begins with it, a writing thread does not get to its end
/// while nobody reads.
private let moreThanAPipe = 100_000
/// The same of a pipe that holds no more than a page.
private let moreThanAPage = 20_000

/// One finished line `{"n":N}`, perhaps padded to many bytes.
private func submit(_ number: Int, padding: Int = 0, to sink: LogSink) -> Bool {
    var line = LogLine()
    line.begin()
    line.member("n", Int64(number))
    if padding > 0 { line.member("p", [UInt8](repeating: 0x78, count: padding).span, limit: padding) }
    line.end()
    return sink.submit(&line)
}

/// The reading and the writing end of a pipe, neither of which waits.
private func nonBlockingPipe() throws -> [Int32] {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    // F_SETPIPE_SZ
    try #require(fcntl(ends[1], Int32(1031), 4096) == 4096)
    return ends
}

@Suite struct `a log file that is rotated` {
    @Test func `is opened anew by its name, and no line is lost between the two`() throws {
        let folder = try Folder()
        let sink = try LogSink.appending(to: folder.log)
        #expect(submit(1, to: sink))
        #expect(sink.flush(milliseconds: 60_000))
        try #require(rename(folder.log, folder.log + ".1") == 0)
        #expect(submit(2, to: sink))
        #expect(sink.flush(milliseconds: 60_000))
        let reports = Reports()
        sink.reopen { reports.note($0) }
        #expect(submit(3, to: sink))
        #expect(sink.stop(milliseconds: 60_000))
        #expect(folder.text("log.1") == "{\"n\":1}\n{\"n\":2}\n")
        #expect(folder.text("log") == "{\"n\":3}\n")
        #expect(reports.all.withLock { $0 } == [nil])
    }

    @Test func `is opened anew also when nothing is written`() throws {
        let folder = try Folder()
        let sink = try LogSink.appending(to: folder.log)
        try #require(unlink(folder.log) == 0)
        let done = DispatchSemaphore(value: 0)
        sink.reopen { _ in done.signal() }
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect(folder.text("log") == "")
        #expect(sink.stop(milliseconds: 60_000))
    }

    @Test func `stays where it is when its name cannot be opened, and whoever asked is told`() throws {
        let folder = try Folder()
        let sink = try LogSink.appending(to: folder.log)
        try #require(rename(folder.log, folder.log + ".1") == 0)
        try #require(mkdir(folder.log, 0o700) == 0)
        let reports = Reports()
        sink.reopen { reports.note($0) }
        #expect(submit(1, to: sink))
        #expect(sink.stop(milliseconds: 60_000))
        #expect(reports.all.withLock { $0 } == [.cannotOpen(path: folder.log, errorNumber: EISDIR)])
        #expect(folder.text("log.1") == "{\"n\":1}\n")
        #expect(sink.droppedLines == 0)
    }

    @Test func `is opened anew behind a reader that stands still, once it moves`() throws {
        let folder = try Folder()
        try #require(mkfifo(folder.log, 0o600) == 0)
        let reading = open(folder.log, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reading >= 0)
        let sink = try LogSink.appending(to: folder.log)
        // Once its beginning is there, the writing thread stands still in it.
        #expect(submit(0, padding: moreThanAPipe, to: sink))
        var entry = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        try #require(poll(&entry, 1, 60_000) == 1)
        for number in 1..<1000 { #expect(submit(number, to: sink)) }
        try #require(rename(folder.log, folder.log + ".1") == 0)
        let reports = Reports()
        sink.reopen { reports.note($0) }
        #expect(!sink.flush(milliseconds: 1))
        #expect(reports.all.withLock { $0 } == [])
        close(reading)  // the rest of the chunk is lost, and counted
        #expect(submit(-1, to: sink))
        #expect(sink.stop(milliseconds: 60_000))
        #expect(reports.all.withLock { $0 } == [nil])
        #expect(sink.droppedLines > 0)
        #expect(folder.text("log")?.hasSuffix("{\"n\":-1}\n") == true)
    }

    @Test func `is not what a log on standard error is: nothing happens there`() throws {
        let sink = try LogSink(descriptor: 2)
        let reports = Reports()
        sink.reopen { reports.note($0) }
        #expect(reports.all.withLock { $0 } == [nil])
        #expect(sink.stop(milliseconds: 60_000))
    }

    @Test func `does not hold the start when it is a named pipe that nobody reads`() throws {
        let folder = try Folder()
        try #require(mkfifo(folder.log, 0o600) == 0)
        #expect(throws: LogRefusal.cannotOpen(path: folder.log, errorNumber: ENXIO)) {
            try LogSink.appending(to: folder.log)
        }
    }
}

@Suite struct `a log destination that fails` {
    @Test(.refuses("OPS-05")) func `full: lines are dropped and counted, and later ones are tried again`() throws {
        let sink = try LogSink.appending(to: "/dev/full")
        for number in 0..<3 {
            #expect(submit(number, to: sink))
            #expect(sink.flush(milliseconds: 60_000))
            #expect(sink.droppedLines == UInt64(number + 1))
        }
        #expect(sink.stop(milliseconds: 60_000))
    }

    @Test(.refuses("OPS-04"))
    func `blocked and set to non-blocking by somebody else: nobody waits, and the end is bounded`() throws {
        let ends = try nonBlockingPipe()
        defer { close(ends[0]) }
        let sink = try LogSink(descriptor: ends[1], closesDescriptor: true, limit: 256 * 1024)
        let clock = ContinuousClock()
        let start = clock.now
        #expect(submit(0, padding: moreThanAPage, to: sink))
        var dropped: UInt64 = 0
        for number in 1..<60_000 where !submit(number, to: sink) { dropped += 1 }
        #expect(dropped > 0 && sink.droppedLines == dropped)
        #expect(!sink.stop(milliseconds: 50))
        // Whoever waited for the reader would wait for ever; or, for each line, some milliseconds.
        #expect(clock.now - start < .seconds(300), "somebody waited for the reader")
    }

    @Test(.refuses("OPS-05")) func `whose reader has left: lines are dropped and counted, and nobody waits`() throws {
        let ends = try nonBlockingPipe()
        let sink = try LogSink(descriptor: ends[1], closesDescriptor: true, limit: 256 * 1024)
        // The writing thread does not get through this before the reader leaves.
        #expect(submit(0, padding: moreThanAPage, to: sink))
        for number in 1..<60_000 { _ = submit(number, to: sink) }
        #expect(!sink.flush(milliseconds: 1))
        // What waits is lost with the reader; what found no room was lost before.
        let refused = sink.droppedLines
        close(ends[0])
        #expect(sink.stop(milliseconds: 60_000))
        #expect(sink.droppedLines > refused)
    }
}
