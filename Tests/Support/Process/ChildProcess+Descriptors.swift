internal import Foundation
internal import Glibc

/// What a process has open, and how much more it may open.
extension ChildProcess {
    /// Descriptors that lead to something whose name begins so, such as `pipe:` or `socket:`; all by default.
    package func openDescriptors(of kind: String = "") -> Int {
        let folder = "/proc/\(identifier)/fd"
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return numbers.count { number in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + number)
            return target?.hasPrefix(kind) ?? false
        }
    }

    /// Lets the process open no descriptor whose number is `count` or above; those that are open stay.
    package func limitDescriptors(to count: Int) throws {
        let tool = try ChildProcess("/usr/bin/prlimit", ["--pid", "\(identifier)", "--nofile=\(count):"])
        guard tool.waitForEnd() == .exited(0) else { throw WireFailure.timedOut("prlimit: \(tool.errors.now)") }
    }

    /// Leaves the process room for exactly `count` descriptors beside those that are open now.
    package func limitDescriptors(toRoomFor count: Int) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(identifier)/fd")
        let open = Set(names.compactMap { Int($0) })
        var (limit, room) = (0, 0)
        while room < count {
            if !open.contains(limit) { room += 1 }
            limit += 1
        }
        try limitDescriptors(to: limit)
    }

    /// Time that the process has computed for since its start, in all its threads.
    package var processorTime: Duration {
        // The name in parentheses may hold anything: `utime` and `stime` are the 12th and 13th word behind it.
        let line = (try? String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)) ?? ""
        let words = line.split(separator: ")").last?.split(separator: " ") ?? []
        guard words.count > 13 else { return .zero }
        let ticks = (Int(words[11]) ?? 0) + (Int(words[12]) ?? 0)
        return .milliseconds(ticks * 1000 / max(1, Int(sysconf(Int32(_SC_CLK_TCK)))))
    }
}
