public import EventLoop
import Glibc
import Synchronization

/// Resolves names on threads of its own, so that a slow name server never holds a loop.
///
/// A name is looked up by one thread at a time, whoever asks for it meanwhile and for whatever port, so that one that hangs
/// holds one thread, and the names of other upstreams are answered beside it. Threads start when they are needed, and stay.
///
///     resolve ── known, and holds still ──▶ answered at once
///        └────── else ──▶ a thread: how long it holds, then where it leads ──▶ every loop that asked
///
/// Wraps `getaddrinfo`, which can only block.
public final class Resolver: Sendable {
    /// Blocks until it has the addresses of a name, and for how long these are good where that is asked; ports in them mean
    /// nothing.
    public typealias LookUp = @Sendable (_ host: String, _ asksLifetime: Bool) -> ResolvedName

    private struct Question: Sendable {
        var port: UInt16
        var loop: EventLoop
        var answer: @Sendable (ResolvedName) -> Void

        func tell(_ found: ResolvedName) {
            loop.execute { [self] in answer(found.with(port: port)) }
        }
    }

    /// A name that a thread looks up, or will.
    private struct Pending {
        /// Everyone who waits for it.
        var questions: [Question]
        /// From when on its answer counts; nil where nobody wants to know how long it is good.
        var askedAt: UInt64?
    }

    private struct Known {
        var answer: ResolvedName
        var askedAt: UInt64
    }

    private struct State {
        /// Names that no thread has taken yet, in their order.
        var names: [String] = []
        var pending: [String: Pending] = [:]
        /// What was found last, of names for which somebody wants to know how long it is good.
        var known: [String: Known] = [:]
        var servers: [NameServer] = []
        var threads = 0
        var busy = 0
        var isStopped = false
    }

    /// Threads at most: as many names may hang and all others be answered.
    static let threadLimit = 16
    /// Names known before those are forgotten that nobody has asked for since they held.
    private static let knownLimit = 1024

    private let state = Mutex(State())
    private let signal: UnsafeSemaphore
    private let lookUp: LookUp

    /// Starts no thread yet.
    public init(lookUp: @escaping LookUp = Resolver.lookUp) {
        signal = UnsafeSemaphore()
        self.lookUp = lookUp
    }

    /// Asks these name servers from now on, or those of the system where there are none.
    public func use(_ servers: [NameServer]) {
        state.withLock { state in
            guard state.servers != servers else { return }
            state.servers = servers
            state.known = [:]
        }
    }

    /// Asks for the addresses of `host`; `answer` runs on `loop`, with an empty list when there are none.
    ///
    /// Questions are bounded by the number of distinct upstreams, which is the configuration's.
    public func resolve(
        _ host: String, port: UInt16, on loop: EventLoop, answer: @escaping @Sendable ([SocketAddress]) -> Void
    ) {
        ask(host, Question(port: port, loop: loop) { answer($0.addresses) }, at: nil)
    }

    /// Asks where `host` leads and for how long, by the monotonic microseconds `now`.
    ///
    /// What is known and holds still is given again: all workers ask, and one question is enough for them. With `isNew` it is
    /// nothing that was known for longer than a second.
    public func resolve(
        _ host: String, port: UInt16, at now: UInt64, isNew: Bool, on loop: EventLoop,
        answer: @escaping @Sendable (ResolvedName) -> Void
    ) {
        let question = Question(port: port, loop: loop, answer: answer)
        let known = state.withLock { state in
            state.known[host].flatMap { known in
                // Each loop has read the clock by itself.
                let age = now > known.askedAt ? now - known.askedAt : 0
                return known.answer.holdsUntil > now && (!isNew || age < NameLifetime.least) ? known.answer : nil
            }
        }
        if let known { return question.tell(known) }
        ask(host, question, at: now)
    }

    private func ask(_ host: String, _ question: Question, at now: UInt64?) {
        let (isNew, wantsThread) = state.withLock { state in
            if state.pending[host] != nil {
                state.pending[host]?.questions.append(question)
                if state.pending[host]?.askedAt == nil { state.pending[host]?.askedAt = now }
                return (false, false)
            }
            state.pending[host] = Pending(questions: [question], askedAt: now)
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
        var servers: [NameServer] = []
        while true {
            signal.wait()
            let (look, wanted, isStopped) = state.withLock { state in
                (state.isStopped ? nil : Resolver.take(&state), state.servers, state.isStopped)
            }
            if isStopped { return }
            guard let look else { continue }
            if wanted != servers {
                NameServer.use(wanted)
                servers = wanted
            }
            let found = lookUp(look.name, look.asksLifetime)
            let (answer, questions) = state.withLock { state in
                Resolver.finish(look, found, isCurrent: state.servers == servers, &state)
            }
            for question in questions { question.tell(answer) }
        }
    }

    private typealias Look = (name: String, asksLifetime: Bool)

    /// The next name, and whether its lifetime is asked for: not the first time, for somebody waits then for the addresses.
    private static func take(_ state: inout State) -> Look? {
        guard !state.names.isEmpty else { return nil }
        let name = state.names.removeFirst()
        state.busy += 1
        let wasFound = state.known[name].map { !$0.answer.addresses.isEmpty } ?? false
        let asksLifetime = wasFound && state.pending[name]?.askedAt != nil
        return (name, asksLifetime)
    }

    /// What those get who asked, and who they are; it is kept where somebody wanted to know how long it is good.
    private static func finish(
        _ look: Look, _ found: ResolvedName, isCurrent: Bool, _ state: inout State
    ) -> (ResolvedName, [Question]) {
        state.busy -= 1
        let pending = state.pending.removeValue(forKey: look.name)
        guard let askedAt = pending?.askedAt else { return (found, pending?.questions ?? []) }
        var answer = found
        // From before it was asked for: what a name server says counts from its answer, which is later.
        answer.holdsUntil = askedAt &+ NameLifetime.microseconds(of: found, isSaid: look.asksLifetime)
        if state.known.count >= knownLimit {
            state.known = state.known.filter { $0.value.answer.holdsUntil > askedAt }
        }
        if isCurrent { state.known[look.name] = Known(answer: answer, askedAt: askedAt) }
        return (answer, pending?.questions ?? [])
    }

    /// Where a name leads, in the order the system prefers, with port 0, and for how long; blocks.
    ///
    /// How long is asked first: what is found then is no older than what that counts from.
    @Sendable public static func lookUp(_ host: String, asksLifetime: Bool) -> ResolvedName {
        let lifetime = asksLifetime ? NameAnswer.lifetime(of: host) : nil
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else {
            return ResolvedName([], failure: code == EAI_NONAME || code == noAddress ? .unknown : .unanswered)
        }
        defer { freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = list
        while let entry = next, found.count < addressLimit {
            if let address = entry.pointee.ai_addr, entry.pointee.ai_addrlen <= MemoryLayout<sockaddr_storage>.size {
                var one = SocketAddress()
                memcpy(&one.storage, address, Int(entry.pointee.ai_addrlen))
                one.length = entry.pointee.ai_addrlen
                found.append(one)
            }
            next = entry.pointee.ai_next
        }
        return ResolvedName(found, lifetime: lifetime)
    }

    /// `EAI_NODATA`, which glibc keeps to itself: there is such a name, and it has no addresses.
    private static let noAddress: Int32 = -5
    /// Addresses of one name at most.
    private static let addressLimit = 64
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
