import Glibc

/// Files that only their owner reads, from their first moment on.
package enum NewKeyFile {
    /// Why a key was not written.
    package enum Refusal: Error, Sendable, Equatable {
        /// Something has that name already, a link perhaps.
        case exists
        /// The system's own number for it.
        case system(Int32)

        /// What the operator reads.
        package var words: String {
            switch self {
            case .exists: "there is a file already, which may hold a key in use; remove it or choose another name"
            case .system(let code): strerror(code).map { String(cString: $0) } ?? "error \(code)"
            }
        }
    }

    /// Writes a key to a file that must not be there yet; mode 0600.
    package static func create(_ path: String, _ key: NewKey.Made) throws(Refusal) {
        // O_EXCL: no key in use is overwritten, and no link is followed to where somebody else would read it.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw errno == EEXIST ? .exists : .system(errno) }
        var rest = key.reveal()[...]
        var failure: Int32?
        while !rest.isEmpty, failure == nil {
            let written = Array(rest).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 { rest = rest.dropFirst(written) } else if errno != EINTR { failure = errno }
        }
        // Some files, such as pipes, have nothing to bring to the disk.
        if failure == nil, fsync(descriptor) != 0, errno != EINVAL { failure = errno }
        close(descriptor)
        // Half a key would be taken for one by whoever looks at its name.
        if let failure {
            unlink(path)
            throw .system(failure)
        }
    }
}
