import Crypto
import Sessions
import TestTraits
import Testing

@testable import SharedState

/// Questions about sessions that a worker puts by its own connection, answered by a real server.
@Suite struct `a question about a session on a worker's way` {
    private let now = Sample.now
    private let replica: Replica

    init() throws { replica = try Replica.several(1)[0] }

    private func another() throws -> Replica { try Replica(RedisServer.shared.get(), prefix: replica.prefix) }

    /// Has the server answer what is to be sent, or `instead` where that says something.
    private func answer(
        _ question: SessionQuestion, _ instead: (Int) -> SessionQuestion.Word? = { _ in nil }
    ) throws -> [String] {
        var asked: [String] = []
        while !question.isOver {
            let (parts, wantsValue) = (question.toSend, question.wantsValue)
            question.sent()
            for part in parts {
                var name: [UInt8] = []
                question.appendName(of: part, to: &name)
                let command = part > 0 ? ["GET"] : wantsValue ? ["HMGET", "g", "v"] : ["HGET", "g"]
                asked.append(command[0])
                let words = [command[0].bytes, name] + command.dropFirst().map(\.bytes)
                let reply = try replica.administrator().send(words)
                question.answered(part, instead(part) ?? Self.word(reply, isMarker: part > 0))
            }
        }
        return asked
    }

    private static func word(_ reply: StoreReply, isMarker: Bool) -> SessionQuestion.Word {
        switch reply {
        case .null: .nothing
        case .status: .other
        case .bytes: isMarker ? .other : reply.generation.map { .generation($0) } ?? .other
        case .array(let fields):
            switch (fields[0].generation, fields[1]) {
            case (let generation?, .bytes(let value)): .value(generation: generation, value)
            case (nil, .null): .nothing
            default: .other
            }
        case .integer, .error: .unavailable
        }
    }

    private func outcome(_ question: SessionQuestion) -> String {
        switch question.conclude() {
        case .session(let session): "session \(session.generation)"
        case .none: "none"
        case .unavailable: "unavailable"
        case .elsewhere: "elsewhere"
        }
    }

    @Test(.holds("SH-71")) func `reads a session that another process keeps, and knows it from then on`() async throws {
        let value = try await replica.create(Sample.session())
        let other = try another()
        let question = try #require(other.store.question(for: value, now: now))
        #expect(try answer(question) == ["HMGET", "GET", "GET"])
        #expect(outcome(question) == "session 0")
        other.asking.goDown()
        #expect(other.look(value, now + 9) == .found(0))
    }

    @Test(.holds("SH-71")) func `asks for no more than the generation of a session that is known`() async throws {
        let session = Sample.session()
        let value = try await replica.create(session)
        let id = SessionDigests.id(session.id)
        #expect(replica.store.standing(of: session, id: id, now: now + 9) == .same(until: now + 10))
        #expect(replica.store.standing(of: session, id: id, now: now + 10) == .due(until: now + 11))
        #expect(
            replica.store.standing(of: session, id: id, now: now + 10) == .same(until: now + 11),
            "one question a second")
        let question = try #require(replica.store.check(id: id, now: now + 10))
        #expect(try answer(question) == ["HGET", "GET", "GET"])
        #expect(question.isConfirmed())
        #expect(replica.store.standing(of: session, id: id, now: now + 11) == .same(until: now + 20))
        #expect(replica.store.question(for: value, now: now + 11) == nil, "there is nothing to ask")
    }

    @Test(.refuses("SH-71")) func `is due again at once where nobody could be asked`() async throws {
        let session = Sample.session()
        _ = try await replica.create(session)
        let id = SessionDigests.id(session.id)
        #expect(replica.store.standing(of: session, id: id, now: now + 10) == .due(until: now + 11))
        replica.store.notAsked(id: id)
        #expect(replica.store.standing(of: session, id: id, now: now + 10) == .due(until: now + 11))
    }

    @Test(.refuses("SH-71")) func `vouches for no session that is another one by now, over, or asked about long ago`()
        async throws
    {
        let session = Sample.session()
        let value = try await replica.create(session)
        let id = SessionDigests.id(session.id)
        #expect(replica.store.standing(of: session, id: id, now: now + 20) == .unknown)
        #expect(replica.store.standing(of: Sample.session(), id: id, now: now) == .same(until: now + 10))
        #expect(replica.store.standing(of: Sample.refreshed(session), id: id, now: now) == .unknown)
        _ = try await replica.store.replace(value, by: Sample.refreshed(session), now: now)
        #expect(replica.store.standing(of: session, id: id, now: now) == .unknown)
        _ = try await replica.store.end(.session(session), now: now)
        #expect(replica.store.standing(of: Sample.refreshed(session), id: id, now: now) == .unknown)
        #expect(replica.store.question(for: value, now: now) == nil)
    }

    @Test(.refuses("SH-71")) func `waits as long as a session that is known has been asked about too long ago`()
        async throws
    {
        let session = Sample.session()
        let value = try await replica.create(session)
        let question = try #require(replica.store.question(for: value, now: now + 20))
        #expect(try answer(question) == ["HGET", "GET", "GET"])
        #expect(outcome(question) == "session 0")
        #expect(replica.look(value, now + 20) == .found(0))
    }

    @Test(.refuses("SH-21")) func `says that there is none only where the store says so, and nobody has seen it`()
        async throws
    {
        let session = Sample.session()
        let value = try await replica.create(session)
        let never = try Sample.cookie(of: Sample.session()).text
        let none = try #require(replica.store.question(for: never, now: now))
        _ = try answer(none)
        #expect(outcome(none) == "none")
        for part in 0..<3 {
            let question = try #require(try another().store.question(for: value, now: now))
            _ = try answer(question) { $0 == part ? .unavailable : nil }
            #expect(outcome(question) == "unavailable")
        }
        let check = try #require(replica.store.check(id: SessionDigests.id(session.id), now: now + 10))
        _ = try answer(check) { _ in .unavailable }
        #expect(check.isConfirmed(), "there is nothing to find out")
        #expect(replica.look(value, now + 20) == .elsewhere)
    }

    @Test(.refuses("SH-21")) func `asks once more before it says that there is none`() async throws {
        let value = try await replica.create(Sample.session())
        let question = try #require(try another().store.question(for: value, now: now))
        var isFirst = true
        let asked = try answer(question) { part in
            defer { isFirst = false }
            return part == 0 && isFirst ? .nothing : nil
        }
        #expect(asked == ["HMGET", "HMGET", "GET", "GET"])
        #expect(outcome(question) == "session 0")
        let never = try Sample.cookie(of: Sample.session()).text
        let none = try #require(replica.store.question(for: never, now: now))
        #expect(try answer(none) == ["HMGET", "HMGET"])
        #expect(outcome(none) == "none")
    }

    @Test(.refuses("SH-44")) func `lets no session live that a marker may end`() async throws {
        let session = Sample.session()
        let value = try await replica.create(session)
        for part in 1..<3 {
            let question = try #require(try another().store.question(for: value, now: now))
            _ = try answer(question) { $0 == part ? .other : nil }
            #expect(outcome(question) == "elsewhere")
            let check = try #require(replica.store.check(id: SessionDigests.id(session.id), now: now + 10))
            _ = try answer(check) { $0 == part ? .other : nil }
            #expect(!check.isConfirmed())
            #expect(outcome(check) == "elsewhere")
        }
    }

    @Test(.refuses("SH-22", "SH-54"))
    func `leaves what does not open, and what is older than it is known, to those who tell of it`() async throws {
        let session = Sample.session()
        let value = try await replica.create(session)
        let (id, secret) = (session.id, Secret(RandomBytes.fill(32)))
        let foreign = try #require(SharedCookie(id: id, secret: secret)).text
        let question = try #require(try another().store.question(for: foreign, now: now))
        _ = try answer(question)
        #expect(outcome(question) == "elsewhere")
        let known = try #require(replica.store.check(id: SessionDigests.id(id), now: now + 10))
        _ = try answer(known) { $0 == 0 ? .generation(7) : nil }
        #expect(!known.isConfirmed())
        let gone = try #require(replica.store.check(id: SessionDigests.id(id), now: now + 10))
        _ = try answer(gone) { $0 == 0 ? .nothing : nil }
        #expect(!gone.isConfirmed())
        #expect(replica.look(value) == .found(0))
    }

    @Test(.refuses("SH-38")) func `brings nothing back that was ended while it was asked`() async throws {
        let session = Sample.session()
        let value = try await replica.create(session)
        let other = try another()
        let question = try #require(other.store.question(for: value, now: now))
        _ = try answer(question)
        other.store.known.end(SharedSessionStore.key(of: session), now: now)
        #expect(outcome(question) == "elsewhere")
        #expect(other.look(value) == .none)
    }

    @Test(.refuses("SH-44")) func `is good for no longer than that where a marker came while it was asked`()
        async throws
    {
        let value = try await replica.create(Sample.session())
        let other = try another()
        let question = try #require(other.store.question(for: value, now: now))
        _ = try answer(question)
        other.store.known.noteMarker()
        #expect(outcome(question) == "session 0")
        #expect(other.look(value) == .elsewhere, "its next request asks again")
    }
}
