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
}
