// SPDX-License-Identifier: Apache-2.0
public import EventLoop
import Glibc
import Synchronization

/// Resolves names on a thread of its own, so that a slow name server never holds a loop.
///
/// Wraps `getaddrinfo`, which can only block.
public final class Resolver: Sendable {
    private struct Question: Sendable {
        var host: String
        var port: UInt16
        var loop: EventLoop
        var answer: @Sendable ([SocketAddress]) -> Void
    }

    private struct State {
        var questions: [Question] = []
        var isStopped = false
    }

    private let state = Mutex(State())
    private let signal: UnsafeSemaphore

    /// Starts the thread.
    public init() {
        signal = UnsafeSemaphore()
        let context = Unmanaged.passRetained(self).toOpaque()
        var thread = pthread_t()
        let started = pthread_create(
            &thread, nil,
            { context in
                Unmanaged<Resolver>.fromOpaque(context.unsafelyUnwrapped).takeRetainedValue().answerQuestions()
                return nil
            }, context)
        precondition(started == 0, "the resolver's thread could not be started")
        pthread_detach(thread)
    }

    /// Asks for the addresses of `host`; `answer` runs on `loop`, with an empty list when there are none.
    ///
    /// Questions are bounded by the number of distinct upstreams, which is the configuration's.
    public func resolve(
        _ host: String, port: UInt16, on loop: EventLoop, answer: @escaping @Sendable ([SocketAddress]) -> Void
    ) {
        state.withLock { $0.questions.append(Question(host: host, port: port, loop: loop, answer: answer)) }
        signal.post()
    }

    /// Ends the thread after the question in progress.
    public func stop() {
        state.withLock { $0.isStopped = true }
        signal.post()
    }

    private func answerQuestions() {
        while true {
            signal.wait()
            let (question, isStopped) = state.withLock { state in
                (state.questions.isEmpty ? nil : state.questions.removeFirst(), state.isStopped)
            }
            if isStopped { return }
            guard let question else { continue }
            let addresses = Resolver.addresses(of: question.host, port: question.port)
            question.loop.execute { question.answer(addresses) }
        }
    }

    /// The addresses of a name, in the order the system prefers; blocks.
    static func addresses(of host: String, port: UInt16) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0 else { return [] }
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
