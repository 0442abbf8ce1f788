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

    /// Watches those of these that are not watched yet.
    mutating func addNew(_ files: [ReadFile]) { add(files.filter { !paths.contains($0.path) }) }

    /// The files that are others than before, once all have stayed as they are from one look to the next.
    ///
    /// A certificate and its key are written one after the other: between the two nothing fits.
    mutating func changes() -> [String] {
        let now = paths.map(FileVersion.init(at:))
        defer { seen = now }
        guard now != known, now == seen else { return [] }
        let changed = paths.indices.filter { now[$0] != known[$0] }.map { paths[$0] }
        known = now
        return changed
    }
}
