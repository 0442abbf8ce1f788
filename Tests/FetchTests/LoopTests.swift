import EventLoop
import Fetch
import HTTPMessage
import TestTraits
import Testing

private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

@Suite struct `a fetch on a loop` {
    @Test(.holds("OPS-04")) func `resumes on the loop that asked`() async throws {
        let thread = try LoopThread()
        defer { thread.stop() }
        let server = try ScriptedServer(.send(ok))
        defer { server.stop() }
        let loop = thread.loop
        let fetcher = CurlFetcher(loop: loop)
        let wanted = request(server)
        let places = try await Task(executorPreference: loop) {
            let before = loop.isInLoop
            _ = try await fetcher.fetch(wanted)
            return [before, loop.isInLoop]
        }.value
        #expect(places == [true, true])
    }

    @Test(.holds("OPS-04")) func `does not hold up what else the loop does`() async throws {
        try await withFetcher(.stall) { fetcher, silent in
            let server = try ScriptedServer(.send(ok))
            defer { server.stop() }
            let (stalled, quick) = (request(silent), request(server))
            let waiting = Task { try await refusal(of: stalled, by: fetcher) }
            #expect(await silent.waits { if case .request = $0 { true } else { false } })
            for _ in 0..<20 {
                let response = try await fetcher.fetch(quick)
                #expect(response.status == 200)
            }
            waiting.cancel()
            let outcome = try await waiting.value
            #expect(outcome == .cancelled)
        }
    }

    @Test func `leaves nothing behind when its fetcher goes`() async throws {
        let thread = try LoopThread()
        defer { thread.stop() }
        let server = try ScriptedServer(.send(ok), .stall)
        defer { server.stop() }
        do {
            let fetcher = CurlFetcher(loop: thread.loop)
            _ = try await fetcher.fetch(request(server))
        }
        // The idle connection is closed with the fetcher that kept it.
        #expect(await server.waits { $0 == .clientLeft })
    }

    @Test(arguments: 0..<10)
    func `may be cancelled at any time`(turn: Int) async throws {
        try await withFetcher(.send(ok)) { fetcher, server in
            let wanted = request(server)
            let tasks = (0..<20).map { _ in Task { try? await fetcher.fetch(wanted).status } }
            for (index, task) in tasks.enumerated() where index % 3 == turn % 3 { task.cancel() }
            for (index, task) in tasks.enumerated() {
                let status = await task.value
                #expect(status == 200 || (index % 3 == turn % 3 && status == nil))
            }
        }
    }
}
