import Glibc

/// The volumes that Kubernetes makes of a ConfigMap or Secret.
///
/// Each file is a link to one in the folder `..data`, which is a link itself: by renaming that, all files are replaced at
/// once, and whoever opens one finds the whole of the old or the whole of the new.
enum MountedVolume {
    private static let folder = "..data"

    /// Whether a file is in such a volume.
    static func holds(_ path: String) -> Bool {
        var way = path.hasPrefix("/") ? "" : "."
        for name in path.split(separator: "/") {
            way += "/" + name
            if name == folder || target(of: way)?.split(separator: "/").first == folder[...] { return true }
        }
        return false
    }

    /// Where a link leads; nil of what is none.
    private static func target(of path: String) -> String? {
        var characters = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &characters, characters.count)
        return count < 0 ? nil : String(decoding: characters[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
