import Access
import Fetch
import Glibc
import Transport

/// What the process asks of the kernel before it serves.
package enum ProcessLimits {
    /// Nothing that this process reads from now on can be read out of it by others of its user.
    ///
    /// Whoever breaks into a neighbour that runs as the same user would otherwise have the keys and everybody's sessions.
    /// False when the kernel would not.
    package static func hideMemory() -> Bool { ProcessMemory.hide() }

    /// Nothing that takes this process over can run another program in its name; before the first thread is started.
    ///
    /// False when the kernel would not.
    package static func giveUpPrograms() -> Bool { ProcessPrograms.giveUp() }

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

    /// What `prepare` will raise the descriptors to; asked before it has.
    static var descriptorsToCome: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return Int.max }
        return Int(clamping: max(limit.rlim_cur, limit.rlim_max))
    }

    /// The settings with as many client connections as the descriptors have room for, where the configuration leaves that
    /// number to us.
    ///
    /// A container often has 1,024 descriptors: connections beyond them would wait unaccepted, and upstreams, issuers and
    /// logs would find none left. With fewer, idle connections make room for new ones as they do at any limit.
    static func fitted(_ settings: GatewaySettings, to descriptors: Int) -> GatewaySettings {
        guard settings.limits.connectionsAreOurs else { return settings }
        var settings = settings
        // For listeners, logs, pipes and metrics, and for authorization servers.
        let reserve = min(256, descriptors / 8) + fetchConnections(of: descriptors, for: settings)
        let room = (descriptors - reserve) / max(1, settings.workers)
        let upstreams = Set(settings.routes.filter { $0.answer == nil }.map(\.upstream)).count
        let (each, isTooMany) = upstreams.multipliedReportingOverflow(by: settings.limits.upstreamConnections)
        // Upstreams' connections are at most as many as clients', or as their own limit says.
        let fitting = max(room / 2, isTooMany ? 0 : room - each)
        settings.limits.connections = min(settings.limits.connections, max(leastConnections, fitting))
        return settings
    }

    /// Fewer are of no use to anybody.
    private static let leastConnections = 16

    /// How many connections there may be to authorization servers: an eighth of the descriptors, where these are few.
    ///
    /// A server that hangs must not take what clients are accepted with, and upstreams are connected to.
    static func fetchConnections(of descriptors: Int) -> Int {
        min(CurlFetcher.mostConnections, max(leastConnections, descriptors / 8))
    }

    /// Without issuers nobody is asked.
    private static func fetchConnections(of descriptors: Int, for settings: GatewaySettings) -> Int {
        settings.issuers.isEmpty ? 0 : fetchConnections(of: descriptors)
    }

    /// How many connections the limits of a configuration promise, over all workers, where there are so many descriptors.
    ///
    /// A client's request has one connection to an upstream at most, so that these are never more than clients'. What else
    /// is open (listeners, logs, pipes) is few beside them.
    static func connections(promisedBy settings: GatewaySettings, of descriptors: Int) -> Int {
        let upstreams = Set(settings.routes.filter { $0.answer == nil }.map(\.upstream)).count
        let (each, isTooMany) = upstreams.multipliedReportingOverflow(by: settings.limits.upstreamConnections)
        let clients = settings.limits.connections
        return settings.workers * (clients + min(isTooMany ? clients : each, clients))
            + fetchConnections(of: descriptors, for: settings)
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
