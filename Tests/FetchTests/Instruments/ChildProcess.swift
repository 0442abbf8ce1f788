import Glibc

/// A program started beside the tests, with its output in a pipe; ended by its own id.
final class ChildProcess {
    private let id: pid_t
    private let output: Int32
    /// The far end of its standard input, open while this object lives.
    private let input: Int32

    init(_ arguments: [String]) throws(SpawnFailure) {
        var (fromChild, toChild) = ([Int32](repeating: -1, count: 2), [Int32](repeating: -1, count: 2))
        guard pipe(&fromChild) == 0, pipe(&toChild) == 0 else {
            throw SpawnFailure(program: arguments[0], code: errno)
        }
        // A later child that inherited an end would keep the pipe open after this one is gone.
        for end in fromChild + toChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var words = arguments.map { strdup($0) } + [nil]
        var id = pid_t()
        let code = posix_spawnp(&id, arguments[0], &actions, nil, &words, environ)
        for word in words { free(word) }
        posix_spawn_file_actions_destroy(&actions)
        close(fromChild[1])
        close(toChild[0])
        self.id = id
        (output, input) = (fromChild[0], toChild[1])
        guard code == 0 else { throw SpawnFailure(program: arguments[0], code: code) }
    }

    deinit {
        close(output)
        close(input)
    }

    /// The first whole line of output that begins like this, or nil when output ends before.
    func line(beginning start: String) -> String? {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(output, &buffer, buffer.count)
            guard count > 0 else { return nil }
            text += buffer[..<count]
            let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
            for line in lines where line.starts(with: start.utf8) { return String(decoding: line, as: UTF8.self) }
        }
    }

    /// Waits until it ends by itself, and returns its exit status.
    @discardableResult
    func wait() -> Int32 {
        var status: Int32 = 0
        waitpid(id, &status, 0)
        return status
    }

    /// Ends it.
    ///
    /// With the one signal that cannot be blocked: children inherit the mask of the runtime's threads, which blocks all.
    func stop() {
        kill(id, SIGKILL)
        wait()
    }
}

/// A program could not be started.
struct SpawnFailure: Error {
    let program: String
    let code: Int32
}
