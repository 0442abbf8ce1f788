import Glibc

/// A folder that is removed, with the files in it, when the test ends.
final class TemporaryFolder {
    private struct Failure: Error {}

    let path: String
    private var files: Set<String> = []

    init() throws {
        var template = Array("/tmp/portcullis-configuration-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure() }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for file in files { unlink("\(path)/\(file)") }
        rmdir(path)
    }

    /// The path of a file that somebody else writes here.
    func file(_ name: String) -> String {
        files.insert(name)
        return "\(path)/\(name)"
    }

    func write(_ text: String, to name: String, mode: mode_t = 0o600) throws {
        let file = "\(path)/\(name)"
        unlink(file)
        files.insert(name)
        let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw Failure() }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fchmod(descriptor, mode) == 0 else {
            throw Failure()
        }
    }
}
