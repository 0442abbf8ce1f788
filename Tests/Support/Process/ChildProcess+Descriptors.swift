// SPDX-License-Identifier: Apache-2.0
internal import Foundation

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
}
