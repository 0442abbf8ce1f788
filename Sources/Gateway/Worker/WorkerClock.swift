import Glibc
import Telemetry

/// The clocks a worker reads, coarse ones: a few nanoseconds each, good to some milliseconds.
struct WorkerClock {
    /// Unix seconds at which the wall clock stands still, for requests that are judged as of another time; 0: it runs.
    var standsAt: Int64 = 0

    /// Unix seconds.
    func wallSeconds() -> Int64 {
        if standsAt != 0 { return standsAt }
        var time = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return Int64(time.tv_sec)
    }

    /// Unix microseconds, precise: for spans, which a collector lays beside those of other machines.
    func wallMicroseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(time.tv_sec) &* 1_000_000 &+ UInt64(time.tv_nsec) / 1000
    }

    func timestamp() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return Timestamp(seconds: Int64(time.tv_sec), milliseconds: Int64(time.tv_nsec) / 1_000_000)
    }

    /// Monotonic microseconds, precise: for durations in the log and in metrics.
    func microseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000 &+ UInt64(time.tv_nsec) / 1000
    }
}
