import Sessions
import TestSupport
import TestTraits
import Testing

@testable import SharedState

/// A server with the users and the persistence that the articles tell operators to have.
///
/// It reads its file back as the user who is there without signing in. Where that user may do nothing, what scripts wrote is
/// refused and missing, and a session that was logged out is a session again.
@Suite struct `a store that is stopped and started with its file` {
    private let now = Sample.now

    @Test(.holds("SH-89")) func `has what scripts wrote, and keeps a logged-out session out`() async throws {
        let server = try RedisServer.kept()
        let prefix = StoreNumberText.random()
        let first = try Replica(server, prefix: prefix)
        let (session, other) = (Sample.session(), Sample.session())
        let (ended, alive) = (try await first.create(session), try await first.create(other))
        // What is behind the rewriting is in the file as commands.
        let administrator = try server.administrator()
        try administrator.expect(["BGREWRITEAOF"])
        let isRewritten = eventually {
            guard let text = try? administrator.send("INFO", "persistence").bytes else { return false }
            return String(decoding: text, as: UTF8.self).contains("aof_rewrite_in_progress:0")
        }
        #expect(isRewritten)
        #expect(try await first.store.end(.session(session), now: now).count == 1)
        let late = Sample.session()
        let written = try await first.create(late)

        let again = try server.restarted()
        #expect(again.complaints == [])
        let second = try Replica(again, prefix: prefix)
        #expect(try await second.load(ended) == nil)
        #expect(try await second.load(alive)?.id == other.id)
        #expect(try await second.load(written)?.id == late.id)
    }

    /// What the documents told operators before: such servers run on.
    @Test(.refuses("SH-61")) func `lacks the log's line of what it lost, where its default user has no rights`()
        async throws
    {
        let server = try RedisServer.kept { $0.hasPrefix("user default ") ? "user default off" : $0 }
        let replica = try Replica(server, prefix: StoreNumberText.random())
        var follower = EndingsFollower(replica.shared.names, recheck: .seconds(10), wait: .milliseconds(10))
        var (question, gaps) = (follower.connected(at: 0).question, [EndingsFollower.Gap]())
        func turn(_ server: RedisServer, _ count: Int) throws {
            let reader = try server.client()
            for _ in 0..<count {
                let step = try follower.answered(try reader.send(try #require(question).arguments), at: 0)
                if let gap = step.gap { gaps.append(gap) }
                question = step.question
            }
        }
        let session = Sample.session()
        _ = try await replica.create(session)
        #expect(try await replica.store.end(.session(session), now: now).count == 1)
        replica.settle()
        try turn(server, 6)
        #expect(gaps == [.beginning])
        let again = try server.restarted()
        // A release that no longer asks what the user may do has lost nothing.
        guard !again.complaints.isEmpty else { return }
        question = follower.connected(at: 0).question
        try turn(again, 4)
        #expect(gaps == [.beginning, .lost])
    }

    @Test(.refuses("SH-89")) func `lets nobody in who does not sign in`() throws {
        let server = try RedisServer.kept()
        let stranger = try StoreClient(server.path)
        for command in [["GET", "pc:epoch"], ["FLUSHALL"], ["AUTH", "default", ""], ["AUTH", "x"], ["HELLO", "3"]] {
            guard case .error = try stranger.send(command.map(\.bytes)) else {
                Issue.record("\(command) was done")
                continue
            }
        }
    }
}
