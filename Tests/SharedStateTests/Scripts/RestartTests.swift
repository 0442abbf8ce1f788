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
