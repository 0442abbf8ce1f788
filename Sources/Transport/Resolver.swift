public import EventLoop
import Glibc
import Synchronization

/// Resolves names on threads of its own, so that a slow name server never holds a loop.
///
/// A name is looked up by one thread at a time, whoever asks for it meanwhile and for whatever port, so that one that hangs
/// holds one thread, and the names of other upstreams are answered beside it. Threads start when they are needed, and stay.
///
/// Wraps `getaddrinfo`, which can only block.
public final class Resolver: Sendable {
    /// Blocks until it has the addresses of a name; ports in them mean nothing.
    public typealias LookUp = @Sendable (_ host: String) -> [SocketAddress]

    private struct Question: Sendable {
        var port: UInt16
        var loop: EventLoop
        var answer: @Sendable ([SocketAddress]) -> Void
    }

    private struct State {
        /// Names that no thread has taken yet, in their order.
        var names: [String] = []
        /// Everyone who waits, by what they wait for.
        var questions: [String: [Question]] = [:]
        var threads = 0
        var busy = 0
        var isStopped = false
    }

    /// Threads at most: as many names may hang and all others be answered.
    static let threadLimit = 16

    private let state = Mutex(State())
    private let signal: UnsafeSemaphore
    private let lookUp: LookUp

    /// Starts no thread yet.
    public init(lookUp: @escaping LookUp = { Resolver.addresses(of: $0) }) {
        signal = UnsafeSemaphore()
        self.lookUp = lookUp
    }

    /// Asks for the addresses of `host`; `answer` runs on `loop`, with an empty list when there are none.
    ///
    /// Questions are bounded by the number of distinct upstreams, which is the configuration's.
    public func resolve(
        _ host: String, port: UInt16, on loop: EventLoop, answer: @escaping @Sendable ([SocketAddress]) -> Void
    ) {
        let question = Question(port: port, loop: loop, answer: answer)
        let (isNew, wantsThread) = state.withLock { state in
            if state.questions[host] != nil {
                state.questions[host]?.append(question)
                return (false, false)
            }
            state.questions[host] = [question]
            state.names.append(host)
            let wantsThread =
                state.threads - state.busy < state.names.count && state.threads < Resolver.threadLimit
            if wantsThread { state.threads += 1 }
            return (true, wantsThread)
        }
        if wantsThread { startThread() }
        if isNew { signal.post() }
    }

    /// Ends the threads after the lookups in progress.
    public func stop() {
        let threads = state.withLock { state in
            state.isStopped = true
            return state.threads
        }
        for _ in 0..<threads { signal.post() }
    }

    private func startThread() {
        let context = Unmanaged.passRetained(self).toOpaque()
        var thread = pthread_t()
        let started = pthread_create(
            &thread, nil,
            { context in
                CallbackContext.takeObject(context, of: Resolver.self).answerQuestions()
                return nil
            }, context)
        guard started == 0 else {
            // Those that there are go on; without any, somebody has to hear of it.
            Unmanaged<Resolver>.fromOpaque(context).release()
            let left = state.withLock { state in
                state.threads -= 1
                return state.threads
            }
            precondition(left > 0, "the resolver's thread could not be started")
            return
        }
        pthread_detach(thread)
    }

    private func answerQuestions() {
        while true {
            signal.wait()
            let (name, isStopped) = state.withLock { state in
                let name = state.isStopped || state.names.isEmpty ? nil : state.names.removeFirst()
                if name != nil { state.busy += 1 }
                return (name, state.isStopped)
            }
            if isStopped { return }
            guard let name else { continue }
            let addresses = lookUp(name)
            let askers = state.withLock { state in
                state.busy -= 1
                return state.questions.removeValue(forKey: name) ?? []
            }
            for asker in askers {
                asker.loop.execute { asker.answer(addresses.map { $0.with(port: asker.port) }) }
            }
        }
    }

    /// The addresses of a name, in the order the system prefers, with port 0; blocks.
    public static func addresses(of host: String) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = list
        while let entry = next, found.count < 16 {
            if let address = entry.pointee.ai_addr, entry.pointee.ai_addrlen <= MemoryLayout<sockaddr_storage>.size {
                var one = SocketAddress()
                memcpy(&one.storage, address, Int(entry.pointee.ai_addrlen))
                one.length = entry.pointee.ai_addrlen
                found.append(one)
            }
            next = entry.pointee.ai_next
        }
        return found
    }
}

/// A POSIX semaphore at a fixed place in memory, as `sem_wait` needs.
private final class UnsafeSemaphore: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func post() { sem_post(semaphore) }

    func wait() { while sem_wait(semaphore) != 0 && errno == EINTR {} }
}
