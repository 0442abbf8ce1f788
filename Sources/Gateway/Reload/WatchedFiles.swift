import Glibc

/// Notices that files were replaced or written: certificates, keys and secrets that somebody renews.
///
/// Looks at them now and then instead of subscribing to changes: that works for every file system, and for the links to
/// folders by which Kubernetes replaces all files of a secret at once.
struct WatchedFiles {
    /// What tells one state of a file from another.
    private struct Signature: Equatable {
        var device: UInt64 = 0
        var inode: UInt64 = 0
        var size: Int64 = -1
        var seconds: Int64 = 0
        var nanoseconds: Int64 = 0

        /// Of the file behind all links; of none when there is none.
        init(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return }
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
            size = Int64(status.st_size)
            seconds = Int64(status.st_mtim.tv_sec)
            nanoseconds = Int64(status.st_mtim.tv_nsec)
        }
    }

    private let paths: [String]
    private var known: [Signature]
    private var seen: [Signature]

    /// Watches files as they are now.
    init(_ paths: [String]) {
        self.paths = paths
        known = paths.map(Signature.init)
        seen = known
    }

    /// The first file that is another one than before, once all have stayed as they are from one look to the next.
    ///
    /// A certificate and its key are written one after the other: between the two nothing fits.
    mutating func firstChange() -> String? {
        let now = paths.map(Signature.init)
        defer { seen = now }
        guard now != known, now == seen else { return nil }
        let place = now.indices.first { now[$0] != known[$0] }
        known = now
        return place.map { paths[$0] }
    }
}
