package import Glibc

/// A file as a configuration was read from it: where it is, and which version of it that was.
package struct ReadFile: Sendable, Equatable {
    package let path: String
    package let version: FileVersion
    /// It is part of the configuration's text: an included file, or a folder of such, in place of what the text names.
    package let isText: Bool

    package init(path: String, version: FileVersion, isText: Bool = false) {
        self.path = path
        self.version = version
        self.isText = isText
    }
}

/// What tells one version of a file from another, and a file from none.
package struct FileVersion: Sendable, Equatable {
    private var device: UInt64 = 0
    private var inode: UInt64 = 0
    private var size: Int64 = -1
    private var seconds: Int64 = 0
    private var nanoseconds: Int64 = 0

    /// Of a file that is not there.
    private init() {}

    /// Of the file that was opened, whatever is found at its path by now.
    package init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        seconds = Int64(status.st_mtim.tv_sec)
        nanoseconds = Int64(status.st_mtim.tv_nsec)
    }

    /// Of the file behind all links; of none when there is none.
    package init(at path: String) {
        var status = stat()
        if stat(path, &status) == 0 { self.init(status) } else { self.init() }
    }
}
