internal import Glibc

/// Descriptors of the test run itself, whose soft limit is often 1,024.
package enum OwnDescriptors {
    /// Whether this process may have so many, the limit raised as far as the system lets it.
    package static func allow(_ count: Int) -> Bool {
        var limit = rlimit()
        let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(descriptors, &limit) == 0 else { return false }
        if limit.rlim_cur < UInt(count), limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = min(UInt(count), limit.rlim_max)
            setrlimit(descriptors, &limit)
        }
        return getrlimit(descriptors, &limit) == 0 && limit.rlim_cur >= UInt(count)
    }
}
