import TestTraits
import Testing

/// Row OPS-09: which clock is read where.
///
/// A test cannot step this machine's clock. What a step would do is decided by who reads which clock: timers and
/// durations the monotonic one, tokens and log lines the wall clock. So the places are held to a list; that a step is
/// noticed at all is tried at `ClockStepWatch`, whose clocks are arguments.
@Suite struct `the clocks` {
    /// Whatever tells the time of day.
    private static let wallClocks = [
        "CLOCK_REALTIME", "gettimeofday(", "time(nil)", " Date(", " Date.now", "SuspendingClock", "ContinuousClock",
        "DispatchTime", "DispatchWallTime", "localtime", "gmtime(",
    ]

    @Test(.holds("OPS-09"), .refuses("OPS-09"))
    func `the system's are read in few places, and the wall clock in two of them`() {
        let places = ["Sources/Gateway/Worker/WorkerClock.swift", "Sources/Telemetry/Timestamp.swift"]
        for file in SourceTree.sources where !places.contains(file.path) {
            for word in Self.wallClocks { #expect(!file.code.contains(word), "\(word) in \(file)") }
        }
        let readers = SourceTree.sources.filter { $0.code.contains("clock_gettime(") }.map(\.path)
        let monotonic = [
            "Sources/Fetch/CurlTransfer.swift", "Sources/Telemetry/Log/LogQueue.swift",
            "Sources/Transport/TLS/TicketKeys.swift",
        ]
        #expect(Set(readers) == Set(places + monotonic))
        for place in places { #expect(SourceTree.file(place)?.code.contains("CLOCK_REALTIME") == true, "\(place)") }
    }

    @Test(.refuses("OPS-09")) func `nothing that waits knows the time of day`() {
        let waiting = [
            "Sources/EventLoop", "Sources/Transport", "Sources/Fetch", "Sources/Gateway/Accept",
            "Sources/Gateway/Parse",
        ]
        let files =
            SourceTree.sources.filter { file in waiting.contains { file.isIn($0) } }
            + [
                "Worker/TimeoutWheel.swift", "Worker/Timeouts.swift", "Worker/Pace.swift", "Forward/WatchPace.swift",
                "Forward/UpstreamPool.swift", "Forward/UpstreamFailure.swift", "Forward/PumpRequestBody.swift",
                "Forward/WriteBytes.swift",
            ].compactMap { SourceTree.file("Sources/Gateway/" + $0) }
        #expect(files.count > 20)
        for file in files {
            for word in ["wallSeconds", "timestamp()", "Timestamp.now", "CLOCK_REALTIME"] {
                #expect(!file.code.contains(word), "\(word) in \(file)")
            }
        }
    }

    @Test(.holds("OPS-09")) func `a thread that waits for another does so by the monotonic clock`() {
        let waiting = SourceTree.sources.filter { $0.code.contains("pthread_cond_timedwait(") }
        #expect(!waiting.isEmpty)
        for file in waiting {
            #expect(file.code.contains("pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)"), "\(file)")
        }
    }
}
