// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What the process asks of the kernel before it serves.
enum ProcessLimits {
    /// As many descriptors as the process may have, and no core file.
    ///
    /// A service manager's soft limit is often 1,024, far below the connections a worker takes; a core file would hold
    /// private keys and everybody's claims (CA-17).
    static func prepare() {
        var limit = rlimit()
        let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        if getrlimit(descriptors, &limit) == 0, limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            setrlimit(descriptors, &limit)
        }
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }

    /// How many descriptors the process may have; `Int.max` without a bound.
    static var descriptors: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return Int.max }
        return Int(clamping: limit.rlim_cur)
    }

    /// How many connections the limits of a configuration promise, over all workers.
    ///
    /// A client's request has one connection to an upstream at most, so that these are never more than clients'. What else
    /// is open (listeners, logs, pipes, issuers) is few beside them.
    static func connections(promisedBy settings: GatewaySettings) -> Int {
        let upstreams = Set(settings.routes.map(\.upstream)).count
        let (each, isTooMany) = upstreams.multipliedReportingOverflow(by: settings.limits.upstreamConnections)
        let clients = settings.limits.connections
        return settings.workers * (clients + min(isTooMany ? clients : each, clients))
    }

    /// Gives back the pages of code that the start has run; those that serve are mapped again as they are called.
    ///
    /// Linking thirty libraries and reading a configuration runs some 15 MB of code that never runs again. It stays
    /// resident as long as nobody else needs the memory, and is counted against every pod. Only executable mappings of
    /// files: nothing of ours is in them, and what is wanted again comes from the page cache. Wraps
    /// `madvise(MADV_DONTNEED)`.
    static func releaseStart() {
        guard let maps = fopen("/proc/self/maps", "re") else { return }
        defer { fclose(maps) }
        let capacity = 4096
        var line = [CChar](repeating: 0, count: capacity)
        while fgets(&line, Int32(capacity), maps) != nil {
            // start-end permissions offset device inode path
            let parts = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }.split(separator: UInt8(ascii: " "))
            guard parts.count >= 6, parts[1].starts(with: "r-xp".utf8), parts[5].first == UInt8(ascii: "/") else {
                continue
            }
            let bounds = parts[0].split(separator: UInt8(ascii: "-")).compactMap {
                UInt(String(decoding: $0, as: UTF8.self), radix: 16)
            }
            guard bounds.count == 2, bounds[1] > bounds[0], let start = UnsafeMutableRawPointer(bitPattern: bounds[0])
            else { continue }
            madvise(start, Int(bounds[1] - bounds[0]), Int32(MADV_DONTNEED))
        }
    }
}
