import Glibc
import HTTPMessage
import TestSupport
import TestTraits
import Testing

@testable import Fetch

@Suite struct `the requests to servers` {
    private typealias Queue = FetchQueue<Int>

    private func lane(_ purpose: FetchRequest.Purpose, _ server: String = "https://as.example:443") -> Queue.Lane {
        Queue.Lane(purpose: purpose, server: server)
    }

    @Test(.holds("OPS-05"), .refuses("OPS-05"), arguments: FetchRequest.Purpose.allCases)
    func `of one purpose fill its own share, then its own row, and then are refused`(
        purpose: FetchRequest.Purpose
    ) {
        var queue = Queue()
        let share = FetchLimits.share(of: purpose)
        for number in 0..<share.concurrent { #expect(queue.admit(number, lane(purpose)) == .start) }
        for number in 0..<share.waiting { #expect(queue.admit(number, lane(purpose)) == .wait) }
        #expect(queue.admit(0, lane(purpose)) == .refuse)
        for other in FetchRequest.Purpose.allCases where other != purpose {
            #expect(queue.admit(0, lane(other)) == .start)
        }
        #expect(queue.admit(0, lane(purpose, "https://other.example:443")) == .start)
    }

    @Test(.holds("OPS-05")) func `begin in the order in which they came, without those that nobody wants any more`() {
        var queue = Queue()
        let lane = lane(.code)
        let share = FetchLimits.share(of: .code)
        for number in 0..<share.concurrent { _ = queue.admit(number, lane) }
        for number in 100..<200 { #expect(queue.admit(number, lane) == .wait) }
        for number in stride(from: 101, to: 200, by: 2) {
            #expect(queue.end(lane) { !$0.isMultiple(of: 2) } == [number])
        }
        #expect(queue.end(lane) { _ in true }.isEmpty)
        #expect(queue.waiting == 0 && queue.concurrent == share.concurrent - 1)
        for _ in 1..<share.concurrent { #expect(queue.end(lane) { _ in true }.isEmpty) }
        #expect(queue.concurrent == 0)
        #expect(queue.end(lane) { _ in true }.isEmpty)
    }

    @Test(.holds("OPS-05"), .refuses("OPS-05"))
    func `of one client are half of them at most, and whoever has fewest under way is next`() {
        var queue = Queue()
        let lane = lane(.loginStart)
        let share = FetchLimits.share(of: .loginStart)
        for number in 0..<200 {
            #expect(queue.admit(number, lane, of: "flood") == (number < share.concurrent / 2 ? .start : .wait))
        }
        #expect(queue.admit(1000, lane, of: "other") == .start)
        // What nobody can tell apart takes what is left.
        for number in 2000..<2000 + share.concurrent / 2 - 1 { #expect(queue.admit(number, lane) == .start) }
        for number in 3000..<3003 { #expect(queue.admit(number, lane, of: "third") == .wait) }
        #expect(queue.concurrent == share.concurrent)
        #expect(queue.end(lane, of: "flood") { _ in true } == [3000], "not one of those that came long before")
        #expect(queue.end(lane, of: "other") { _ in true } == [], "one is left for whoever comes next")
        #expect(queue.end(lane, of: "third") { $0 != 3001 } == [3002], "nobody wants 3001 any more")
        #expect(queue.end(lane, of: "nobody") { _ in true } == [])
    }

    @Test(.holds("OPS-05"), .refuses("OPS-05")) func `for sessions of one user leave another user's its turn`() {
        var queue = Queue()
        let lane = lane(.session)
        let share = FetchLimits.share(of: .session)
        for number in 0..<200 {
            #expect(queue.admit(number, lane, of: "user a") == (number < share.concurrent / 2 ? .start : .wait))
        }
        #expect(queue.admit(1000, lane, of: "user b") == .start)
        for number in 2000..<2000 + share.concurrent / 2 - 1 { #expect(queue.admit(number, lane) == .start) }
        #expect(queue.admit(3000, lane, of: "user c") == .wait)
        #expect(queue.end(lane, of: "user a") { _ in true } == [3000], "not one of those that came long before")
    }

    @Test(.holds("OPS-05"), .refuses("OPS-05"), arguments: [FetchRequest.Purpose.session, .loginStart, .code])
    func `of one client that wait are half of the row at most, and no more than they leave`(
        purpose: FetchRequest.Purpose
    ) {
        var queue = Queue()
        let lane = lane(purpose)
        let share = FetchLimits.share(of: purpose)
        for number in 0..<share.concurrent { #expect(queue.admit(number, lane) == .start) }
        for number in 0..<share.waiting / 2 { #expect(queue.admit(number, lane, of: "flood") == .wait) }
        #expect(queue.admit(0, lane, of: "flood") == .refuseClient)
        for number in 0..<share.waiting / 4 { #expect(queue.admit(number, lane, of: "second") == .wait) }
        #expect(queue.admit(0, lane, of: "second") == .refuseClient, "as many are left as it has")
        #expect(queue.admit(7000, lane, of: "third") == .wait)
        // What nobody can tell apart takes what is left.
        for number in 1..<share.waiting / 4 { #expect(queue.admit(number, lane) == .wait) }
        #expect(queue.admit(0, lane) == .refuse)
        // With no room at all it is the client's doing that has half of it, and nobody's who has little or nothing.
        #expect(queue.admit(0, lane, of: "flood") == .refuseClient)
        #expect(queue.admit(0, lane, of: "third") == .refuse)
        #expect(queue.admit(0, lane, of: "fourth") == .refuse)
        #expect(queue.waiting == share.waiting)
        // Whoever waits has a turn, however many of another wait.
        var begun: [Int] = []
        for _ in 0..<4 { begun += queue.end(lane) { _ in true } }
        #expect(begun.contains(7000), "\(begun)")
        #expect(queue.admit(0, lane, of: "third") == .wait)
    }

    @Test(.holds("OPS-05")) func `of one client that wait begin when others have ended`() {
        var queue = Queue()
        let lane = lane(.code)
        let half = FetchLimits.share(of: .code).concurrent / 2
        for _ in 0..<2 * half { #expect(queue.admit(0, lane) == .start) }
        for number in 1...3 { #expect(queue.admit(number, lane, of: "flood") == .wait) }
        #expect(queue.end(lane) { _ in true } == [1])
        #expect(queue.end(lane) { _ in true } == [], "it leaves as much as it has")
        #expect(queue.end(lane) { _ in true } == [2])
        for _ in 3..<2 * half { _ = queue.end(lane) { _ in true } }
        for _ in 0..<3 { _ = queue.end(lane, of: "flood") { _ in true } }
        #expect(queue.concurrent == 0 && queue.waiting == 0)
    }

    @Test(.holds("OPS-05")) func `are all handed back when there is an end of it`() {
        var queue = Queue()
        for number in 0..<100 { _ = queue.admit(number, lane(.loginStart)) }
        #expect(queue.removeAll().sorted() == Array(FetchLimits.share(of: .loginStart).concurrent..<100))
        #expect(queue.concurrent == 0 && queue.waiting == 0)
    }

    @Test(.holds("OPS-05"), arguments: [1, 128, 512, FetchLimits.connections])
    func `of all purposes at three servers that hang leave connections to others, however few there are`(
        connections: Int
    ) {
        var queue = Queue(connections: connections)
        var started = 0
        for server in ["a", "b", "c"] {
            for purpose in FetchRequest.Purpose.allCases {
                let share = FetchLimits.share(of: purpose, connections: connections)
                #expect(share.concurrent >= 4 && share.waiting == FetchLimits.share(of: purpose).waiting)
                for _ in 0..<1000 where queue.admit(0, lane(purpose, server)) == .start { started += 1 }
            }
        }
        #expect(started == queue.concurrent)
        if connections >= 128 { #expect(started < connections, "\(started)") }
    }

    /// Processor time that this thread has had, in nanoseconds.
    private func processorTime() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// What it costs to have so many of each of some servers wait, and to let all of them begin.
    private func cost(servers: Int, each: Int) -> Int {
        final class Waiter {}
        let waiter = Waiter()
        var queue = FetchQueue<Waiter>()
        let lanes = (0..<servers).map {
            FetchQueue<Waiter>.Lane(purpose: .loginStart, server: "https://\($0).example:443")
        }
        for lane in lanes { while case .start = queue.admit(waiter, lane) {} }
        let start = processorTime()
        for _ in 1..<each { for lane in lanes { _ = queue.admit(waiter, lane) } }
        for _ in 0..<each { for lane in lanes { _ = queue.end(lane) { _ in true } } }
        return processorTime() - start
    }

    @Test(.holds("OPS-04")) func `wait at the same cost behind a thousand as behind sixteen`() {
        _ = cost(servers: 16, each: 16)
        // The least of several of each, for what else the machine does only adds to it; one that depended on how many wait
        // would be too much every time.
        var (short, long) = (Int.max, Int.max)
        for round in 0..<30 where round < 3 || long / 4 >= short {
            short = min(short, cost(servers: 640, each: 16))
            long = min(long, cost(servers: 10, each: 1024))
        }
        #expect(long < 4 * short, "\(long) and \(short) ns")
    }

    @Test(.refuses("CA-16")) func `go over no connection that its server may be about to close`() {
        #expect(ConnectionAge(.kept, serverTimeout: nil).seconds == FetchLimits.idleSeconds)
        #expect(ConnectionAge(.recent, serverTimeout: nil).seconds == 1)
        #expect(ConnectionAge(.fresh, serverTimeout: 3600).seconds == nil)
        #expect(ConnectionAge(.kept, serverTimeout: 5).seconds == 3)
        #expect(ConnectionAge(.recent, serverTimeout: 5).seconds == 1)
        for timeout in [0, 1, 2, -1] {
            #expect(ConnectionAge(.kept, serverTimeout: timeout).seconds == nil)
            #expect(ConnectionAge(.recent, serverTimeout: timeout).seconds == nil)
        }
    }

    @Test(.holds("CA-16")) func `know how long a server keeps a connection from what it says`() {
        #expect(KeepAliveField.timeoutSeconds([]) == nil)
        #expect(KeepAliveField.timeoutSeconds(["timeout=5, max=100"]) == 5)
        #expect(KeepAliveField.timeoutSeconds(["max=100 , Timeout = \"7\""]) == 7)
        #expect(KeepAliveField.timeoutSeconds(["timeout=9", "timeout=3"]) == 3)
        #expect(KeepAliveField.timeoutSeconds(["timeout=99999999999999999999"]) == .max)
        for nothing in ["", "timeout", "timeout=", "timeout=x", "timeout=-1", "max=3", "timeouts=4"] {
            #expect(KeepAliveField.timeoutSeconds([nothing]) == nil)
        }
    }
}

/// Runs a body with a fetcher on a loop and a server, and cleans up.
private func withServer(
    _ script: WireScript = .answer(200, "{}"), body: (CurlFetcher, RecordingUpstream) async throws -> Void
) async throws {
    let server = try RecordingUpstream(fallback: script)
    defer { server.stop() }
    let thread = try LoopThread()
    defer { thread.stop() }
    try await body(CurlFetcher(loop: thread.loop), server)
}

private func post(
    _ server: RecordingUpstream, _ path: String, for purpose: FetchRequest.Purpose,
    over connection: FetchRequest.Connection? = nil, _ body: String = "a=b"
) -> FetchRequest {
    var request = FetchRequest(url: server.url + path, maximumBytes: 65_536, timeoutMilliseconds: 180_000)
    request.method = .post
    request.body = Array(body.utf8)
    request.purpose = purpose
    request.connection = connection
    request.insecureAllowHTTP = true
    request.allowLoopbackAndPrivateHost = "127.0.0.1"
    return request
}

/// Waits until a server has such requests; the thread, of which there are few, is the senders' meanwhile.
private func reaches(_ server: RecordingUpstream, _ isExpected: ([WireRequest]) -> Bool) async -> Bool {
    let deadline = Deadline.after(.seconds(60))
    while !isExpected(server.requests) {
        if deadline.hasPassed { return isExpected(server.requests) }
        await Task.yield()
    }
    return true
}

@Suite struct `a server that hangs for strangers` {
    @Test(.holds("OPS-05"), .refuses("OPS-05"))
    func `answers token checks, refreshes and keys all the same, and strangers beyond their row get no`()
        async throws
    {
        let gate = Gate()
        try await withServer { fetcher, server in
            server.answer("/par", with: WireScript(.wait(gate), .echo))
            let share = FetchLimits.share(of: .loginStart)
            try await withThrowingTaskGroup(of: FetchRefusal?.self) { group in
                for _ in 0..<share.concurrent + share.waiting + 10 {
                    group.addTask {
                        do throws(FetchRefusal) {
                            _ = try await fetcher.fetch(post(server, "/par", for: .loginStart))
                            return nil
                        } catch {
                            return error
                        }
                    }
                }
                // Those for whom there is no room come back at once, while all others wait.
                for _ in 0..<10 {
                    let outcome = try await group.next()
                    #expect(outcome == .crowded)
                }
                #expect(await reaches(server) { $0.count { $0.path == "/par" } == share.concurrent })
                for purpose in FetchRequest.Purpose.allCases where purpose != .loginStart {
                    let status = try await fetcher.fetch(post(server, "/other", for: purpose)).status
                    #expect(status == 200)
                }
                #expect(server.requests.count { $0.path == "/par" } == share.concurrent)
                gate.open()
                for try await outcome in group { #expect(outcome == nil) }
            }
        }
    }

    @Test(.refuses("OPS-05")) func `lets nobody wait for longer than they have`() async throws {
        let gate = Gate()
        try await withServer(WireScript(.wait(gate), .echo)) { fetcher, server in
            let share = FetchLimits.share(of: .revocation)
            var brief = post(server, "/revoke", for: .revocation)
            brief.timeoutMilliseconds = 100
            // What was sent may have been acted on. Longer each time, until the machine gets so far as to send it.
            while server.requests.isEmpty, brief.timeoutMilliseconds < 60_000 {
                let outcome = try await refusal(of: brief, by: fetcher)
                try #require(outcome == .timedOut)
                brief.timeoutMilliseconds *= 2
            }
            try #require(!server.requests.isEmpty)
            // Those before which others wait have more time than the test takes: they are under way until the gate opens.
            let sent = (0..<share.concurrent).map { _ in
                Task { try await fetcher.fetch(post(server, "/sent", for: .revocation)).status }
            }
            #expect(await reaches(server) { $0.count { $0.path == "/sent" } == share.concurrent })
            let late = {
                var late = post(server, "/late", for: .revocation)
                late.timeoutMilliseconds = 100
                return late
            }()
            try await withThrowingTaskGroup(of: FetchRefusal.self) { group in
                for _ in 0..<share.waiting + 1 { group.addTask { try await refusal(of: late, by: fetcher) } }
                // The one for whom there is no room comes back at once: all others are in the row by then.
                let first = try await group.next()
                #expect(first == .crowded)
                // Until they have waited for as long as they have.
                dawdle(for: .milliseconds(150))
                gate.open()
                // What never left the row was not acted on, and says so.
                for try await outcome in group { #expect(outcome == .crowded) }
            }
            for task in sent { #expect(try await task.value == 200) }
            let status = try await fetcher.fetch(post(server, "/revoke", for: .revocation)).status
            #expect(status == 200)
            #expect(!server.requests.contains { $0.path == "/late" })
        }
    }

    @Test(.refuses("OPS-05"), arguments: [true, false])
    func `says whose they are that waited too long: a client's own, or others'`(isOwn: Bool) async throws {
        let gate = Gate()
        try await withServer(WireScript(.wait(gate), .echo)) { fetcher, server in
            // Alone, a client has half of what may be under way, and the other half is free; or others have it all.
            let share = FetchLimits.share(of: .revocation)
            let count = isOwn ? share.concurrent / 2 : share.concurrent
            let sent = (0..<count).map { _ in
                Task {
                    var request = post(server, "/sent", for: .revocation)
                    if isOwn { request.client = "office" }
                    return try await fetcher.fetch(request).status
                }
            }
            #expect(await reaches(server) { $0.count { $0.path == "/sent" } == count })
            var late = post(server, "/late", for: .revocation)
            late.client = "office"
            late.timeoutMilliseconds = 100
            // Half of the row is the client's part, and whoever is beyond it comes back at once: the others wait by then.
            let waiting = late
            try await withThrowingTaskGroup(of: FetchRefusal.self) { group in
                for _ in 0..<share.waiting / 2 + 1 { group.addTask { try await refusal(of: waiting, by: fetcher) } }
                let first = try await group.next()
                #expect(first == .tooManyOfClient)
                dawdle(for: .milliseconds(150))
                gate.open()
                for try await outcome in group { #expect(outcome == (isOwn ? .tooManyOfClient : .crowded)) }
            }
            for task in sent { #expect(try await task.value == 200) }
            #expect(!server.requests.contains { $0.path == "/late" })
        }
    }

    @Test(.holds("OPS-05"), .refuses("OPS-05"))
    func `is not sent what was given up while it waited, and the next has its turn`()
        async throws
    {
        let gate = Gate()
        try await withServer { fetcher, server in
            server.answer("/slow", with: WireScript(.wait(gate), .echo))
            let share = FetchLimits.share(of: .revocation)
            let slow = (0..<share.concurrent).map { _ in
                Task { try await fetcher.fetch(post(server, "/slow", for: .revocation)).status }
            }
            #expect(await reaches(server) { $0.count == share.concurrent })
            let given = Task { try await fetcher.fetch(post(server, "/given-up", for: .revocation)).status }
            let next = Task { try await fetcher.fetch(post(server, "/next", for: .revocation)).status }
            given.cancel()
            let outcome = await given.result
            #expect(throws: FetchRefusal.cancelled) { try outcome.get() }
            gate.open()
            for task in slow {
                let status = try await task.value
                #expect(status == 200)
            }
            let status = try await next.value
            #expect(status == 200)
            #expect(!server.requests.contains { $0.path == "/given-up" })
        }
    }
}

@Suite struct `a server that closes kept connections` {
    /// What becomes of a connection after the request that comes before a code.
    private static func habits() -> [(String, WireScript)] {
        let answer = WireScript.Step.text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        return [
            ("closes at once", WireScript(answer, .close)), ("resets at once", WireScript(answer, .reset)),
            ("keeps", WireScript(answer)),
        ]
    }

    @Test(.holds("CA-16"), .refuses("CA-16")) func `loses no code, and reads none twice, whenever it closes`()
        async throws
    {
        for (name, script) in Self.habits() {
            try await withServer { fetcher, server in
                server.answer("/par", with: script)
                for number in 0..<20 {
                    _ = try? await fetcher.fetch(post(server, "/par", for: .loginStart))
                    if number.isMultiple(of: 3) { server.closeConnections() }
                    let status = try await fetcher.fetch(
                        post(server, "/token", for: .code, over: .fresh, "code=\(number)")
                    ).status
                    #expect(status == 200, "\(name)")
                }
                let codes = server.requests.filter { $0.path == "/token" }.map(\.bodyText)
                #expect(codes == (0..<20).map { "code=\($0)" }, "\(name)")
            }
        }
    }

    @Test(.holds("CA-16")) func `loses no code where it closes on the first byte of the next request`() async throws {
        let answer = WireScript.Step.text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        try await withServer(WireScript(answer)) { fetcher, server in
            for number in 0..<20 {
                _ = try await fetcher.fetch(post(server, "/introspect", for: .tokenCheck))
                // Whatever comes over a connection that was used before is not read.
                let known = server.connectionCount
                let doomed = (0..<known).map { WireScript.Step.closeIf(connection: $0) }
                server.answer("/token", with: WireScript(exactly: doomed + [.readBody, answer]))
                let status = try await fetcher.fetch(
                    post(server, "/token", for: .code, over: .fresh, "code=\(number)")
                ).status
                #expect(status == 200)
            }
            #expect(server.requests.filter { $0.path == "/token" }.map(\.bodyText) == (0..<20).map { "code=\($0)" })
        }
    }

    @Test(.holds("CA-16")) func `says how long it keeps them, and is believed`() async throws {
        let brief = WireScript.answer(200, "{}", fields: ["Keep-Alive: timeout=1"])
        try await withServer(brief) { fetcher, server in
            for _ in 0..<3 { _ = try await fetcher.fetch(post(server, "/introspect", for: .tokenCheck)) }
            #expect(server.connectionCount >= 3)
        }
        let long = WireScript.answer(200, "{}", fields: ["Keep-Alive: timeout=60"])
        try await withServer(long) { fetcher, server in
            for _ in 0..<3 { _ = try await fetcher.fetch(post(server, "/introspect", for: .tokenCheck, over: .kept)) }
            #expect(server.connectionCount == 1)
        }
    }
}
