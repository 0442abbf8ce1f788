internal import Foundation
internal import Glibc

/// The wall clock of one process, set while it runs as a time service or an operator would.
///
/// A library that the process loads before libc (`LD_PRELOAD`) adds to the time of day the seconds that a file says, which it
/// has mapped: a step is there with the next reading. The monotonic clock is the system's.
package final class SteppedClock: Sendable {
    /// What the process needs in its environment.
    package let environment: [String: String]
    private let folder: String

    private static let library = """
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <stdint.h>
        #include <stdlib.h>
        #include <sys/mman.h>
        #include <sys/syscall.h>
        #include <sys/time.h>
        #include <time.h>
        #include <unistd.h>

        static const volatile int64_t *step;

        __attribute__((constructor)) static void map_step(void) {
            const char *path = getenv("STEPPED_CLOCK");
            int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
            if (file < 0) return;
            void *page = mmap(0, sizeof *step, PROT_READ, MAP_SHARED, file, 0);
            close(file);
            if (page != MAP_FAILED) step = page;
        }

        int clock_gettime(clockid_t clock, struct timespec *now) {
            int status = (int)syscall(SYS_clock_gettime, clock, now);
            int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
            if (status == 0 && step && is_wall) now->tv_sec += *step;
            return status;
        }

        time_t time(time_t *seconds) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME_COARSE, &now);
            if (seconds) *seconds = now.tv_sec;
            return now.tv_sec;
        }

        int gettimeofday(struct timeval *restrict now, void *restrict zone) {
            struct timespec precise;
            int status = clock_gettime(CLOCK_REALTIME, &precise);
            (void)zone;
            now->tv_sec = precise.tv_sec;
            now->tv_usec = precise.tv_nsec / 1000;
            return status;
        }

        """

    /// Builds the library with the compiler that came with Swift, or with the system's.
    package init() throws {
        folder = try TemporaryFolder.make(for: "clock")
        let (source, library) = (folder + "/clock.c", folder + "/clock.so")
        try Self.library.write(toFile: source, atomically: false, encoding: .utf8)
        try Data(repeating: 0, count: MemoryLayout<Int64>.size).write(to: URL(fileURLWithPath: folder + "/step"))
        let script = #"exec "$(command -v clang || command -v cc)" -shared -fPIC -O1 -o "$1" "$0""#
        let build = try ChildProcess("/bin/sh", ["-c", script, source, library], environment: ["LD_PRELOAD": ""])
        guard build.waitForEnd(within: .seconds(240)) == .exited(0) else {
            throw WireFailure.malformed(build.errors.now.joined(separator: "\n"))
        }
        let others = ProcessInfo.processInfo.environment["LD_PRELOAD"].map { $0 + ":" } ?? ""
        environment = ["LD_PRELOAD": others + library, "STEPPED_CLOCK": folder + "/step"]
    }

    deinit { TemporaryFolder.remove(folder) }

    /// Sets the process's wall clock this far from the system's, ahead or, below zero, behind.
    package func set(_ seconds: Int64) throws {
        let file = open(folder + "/step", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw WireFailure.system("open", errno) }
        defer { close(file) }
        var seconds = seconds
        guard pwrite(file, &seconds, MemoryLayout<Int64>.size, 0) == MemoryLayout<Int64>.size else {
            throw WireFailure.system("pwrite", errno)
        }
    }
}
