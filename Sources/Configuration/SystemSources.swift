import Gateway
import Glibc
import Telemetry

extension ConfigurationSources {
    /// The real files, environment and processors of this process.
    package static var system: ConfigurationSources {
        let group = ControlGroup.read(membership: kernelText("/proc/self/cgroup"), file: kernelText)
        var sources = ConfigurationSources(
            file: SystemFile.read, obstacleToAppending: SystemFile.obstacleToAppending,
            environment: { name in getenv(name).map { String(cString: $0) } },
            processors: processorsOfThisProcess(group),
            documents: .asAtStart, now: Timestamp.now().seconds)
        sources.names = SystemFile.names
        sources.isOpenToAll = SystemFile.isOpenToAll
        sources.memoryLimit = group.memoryLimit
        return sources
    }

    private static func processorsOfThisProcess(_ group: ControlGroup) -> Int {
        ProcessorCount.allowed(
            status: kernelText("/proc/self/status"), quotas: group.quotas,
            online: sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }

    private static func kernelText(_ path: String) -> String? {
        guard case .success(let file) = SystemFile.read(path, atMost: 65_536) else { return nil }
        return String(decoding: file.bytes, as: UTF8.self)
    }
}

/// Reading whole small files, with a bound.
private enum SystemFile {
    static func read(
        _ path: String, atMost limit: Int
    ) -> Result<ConfigurationSources.File, ConfigurationSources.FileRefusal> {
        // Non-blocking, for a named pipe without a writer would make start-up hang.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return .failure(refusal(errno)) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .failure(.unreadable(reason(errno))) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            return .failure(status.st_mode & S_IFMT == S_IFDIR ? .folder : .special)
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return .failure(.unreadable(reason(errno))) }
            if count == 0 { break }
            bytes += chunk[..<count]
            guard bytes.count <= limit else { return .failure(.larger(than: limit)) }
        }
        var file = ConfigurationSources.File(path: path, bytes: bytes, permissions: status.st_mode & 0o7777)
        file.version = FileVersion(status)
        return .success(file)
    }

    /// The names in a folder, a bounded number of them.
    static func names(in folder: String) -> Result<[String], ConfigurationSources.FileRefusal> {
        guard let stream = opendir(folder) else { return .failure(.unreadable(reason(errno))) }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < ConfigurationSources.nameLimit, let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return .success(names)
    }

    /// By its mode; where nothing can be written at all, as to a volume of Kubernetes, that says nothing.
    static func isOpenToAll(_ folder: String) -> Bool {
        var status = stat()
        var system = statvfs()
        guard stat(folder, &status) == 0, status.st_mode & 0o002 != 0 else { return false }
        return statvfs(folder, &system) != 0 || system.f_flag & UInt(ST_RDONLY) == 0
    }

    static func obstacleToAppending(to path: String) -> String? {
        if access(path, F_OK) == 0 { return access(path, W_OK) == 0 ? nil : reason(errno) }
        let folder = FilePath.folder(of: path)
        return access(folder, W_OK | X_OK) == 0 ? nil : "\(folder): \(reason(errno))"
    }

    private static func refusal(_ code: Int32) -> ConfigurationSources.FileRefusal {
        switch code {
        case ENOENT: .missing
        case EACCES, EPERM: .forbidden
        // A socket.
        case ENXIO: .special
        default: .unreadable(reason(code))
        }
    }

    private static func reason(_ code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
