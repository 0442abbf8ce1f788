/// Notices that files were replaced or written: certificates, keys and secrets that somebody renews, and the configuration
/// where it is watched too.
///
/// Looks at them now and then instead of subscribing to changes: that works for every file system, and for the links to
/// folders by which Kubernetes replaces all files of a secret at once.
struct WatchedFiles {
    private var paths: [String]
    private var known: [FileVersion]
    private var seen: [FileVersion]

    /// Watches files from the versions on that were read: what came between reading and now is a change.
    init(_ files: [ReadFile]) {
        paths = files.map(\.path)
        known = files.map(\.version)
        seen = known
    }

    /// Watches these too, from the versions on that were read, in place of what was known of them.
    mutating func add(_ files: [ReadFile]) {
        for file in files {
            if let index = paths.firstIndex(of: file.path) {
                known[index] = file.version
            } else {
                paths.append(file.path)
                known.append(file.version)
            }
        }
        seen = known
    }

    /// The first file that is another one than before, once all have stayed as they are from one look to the next.
    ///
    /// A certificate and its key are written one after the other: between the two nothing fits.
    mutating func firstChange() -> String? {
        let now = paths.map(FileVersion.init(at:))
        defer { seen = now }
        guard now != known, now == seen else { return nil }
        let place = now.indices.first { now[$0] != known[$0] }
        known = now
        return place.map { paths[$0] }
    }
}
