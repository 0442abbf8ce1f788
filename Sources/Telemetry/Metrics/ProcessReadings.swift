import Glibc

/// What the kernel says about this process, read when somebody asks.
package struct ProcessReadings: Sendable, Equatable {
    /// Nil where procfs is not mounted.
    package var residentBytes: Int64?
    package var openDescriptors: Int64?

    package init(residentBytes: Int64?, openDescriptors: Int64?) {
        self.residentBytes = residentBytes
        self.openDescriptors = openDescriptors
    }

    /// Reads `/proc/self/statm` and counts `/proc/self/fd`.
    package static func now() -> ProcessReadings {
        ProcessReadings(residentBytes: residentBytes(), openDescriptors: openDescriptors())
    }

    private static func residentBytes() -> Int64? {
        let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: 256)
        let count = text.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return nil }
        return pages(inStatm: text[..<count]).map { $0 * Int64(sysconf(Int32(_SC_PAGESIZE))) }
    }

    /// The second number of `statm`: resident pages.
    static func pages(inStatm text: ArraySlice<UInt8>) -> Int64? {
        let words = text.split(separator: UInt8(ascii: " "))
        guard words.count >= 2 else { return nil }
        return Int64(String(decoding: words[1], as: UTF8.self))
    }

    private static func openDescriptors() -> Int64? {
        guard let directory = opendir("/proc/self/fd") else { return nil }
        defer { closedir(directory) }
        var count: Int64 = 0
        while readdir(directory) != nil { count += 1 }
        // `.`, `..` and the descriptor that reads the directory are not what was asked for.
        return max(count - 3, 0)
    }
}
