import Glibc

/// What the kernel says about this process, read when somebody asks.
///
/// Each is nil where the kernel does not say it, such as where procfs is not mounted.
package struct ProcessReadings: Sendable, Equatable {
    package var residentBytes: Int64?
    package var virtualBytes: Int64?
    package var openDescriptors: Int64?
    /// How many descriptors there may be; nil for no bound too.
    package var descriptorLimit: Int64?
    /// Of user and system, in microseconds.
    package var processorTime: UInt64?

    package init(residentBytes: Int64? = nil, openDescriptors: Int64? = nil) {
        self.residentBytes = residentBytes
        self.openDescriptors = openDescriptors
    }

    /// Reads `/proc/self/statm`, counts `/proc/self/fd`, and asks `getrusage` and `getrlimit`.
    package static func now() -> ProcessReadings {
        var readings = ProcessReadings(openDescriptors: countDescriptors())
        (readings.virtualBytes, readings.residentBytes) = memory() ?? (nil, nil)
        readings.descriptorLimit = limitOfDescriptors()
        readings.processorTime = timeOfProcessors()
        return readings
    }

    private static func memory() -> (virtualBytes: Int64, residentBytes: Int64)? {
        let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: 256)
        let count = text.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0, let pages = pages(inStatm: text[..<count]) else { return nil }
        let size = Int64(sysconf(Int32(_SC_PAGESIZE)))
        return (pages.all * size, pages.resident * size)
    }

    /// The first two numbers of `statm`: all pages, and resident ones.
    static func pages(inStatm text: ArraySlice<UInt8>) -> (all: Int64, resident: Int64)? {
        let words = text.split(separator: UInt8(ascii: " "))
        guard words.count >= 2, let all = Int64(String(decoding: words[0], as: UTF8.self)),
            let resident = Int64(String(decoding: words[1], as: UTF8.self))
        else { return nil }
        return (all, resident)
    }

    private static func countDescriptors() -> Int64? {
        guard let directory = opendir("/proc/self/fd") else { return nil }
        defer { closedir(directory) }
        var count: Int64 = 0
        while readdir(directory) != nil { count += 1 }
        // `.`, `..` and the descriptor that reads the directory are not what was asked for.
        return max(count - 3, 0)
    }

    private static func limitOfDescriptors() -> Int64? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return Int64(exactly: limit.rlim_cur)
    }

    private static func timeOfProcessors() -> UInt64? {
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return nil }
        return microseconds(usage.ru_utime) + microseconds(usage.ru_stime)
    }

    private static func microseconds(_ time: timeval) -> UInt64 {
        UInt64(clamping: time.tv_sec) * 1_000_000 + UInt64(clamping: time.tv_usec)
    }
}
