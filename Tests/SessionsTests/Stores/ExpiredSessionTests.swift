import Crypto
import TestTraits
import Testing

@testable import Sessions

/// Which sessions are named when a limit ended them, for the audit log.
@Suite struct `sessions that reached a limit` {
    private static let now = Sample.now

    private func cookies(idle: Int = 1800) throws -> CookieSessionStore {
        try CookieSessionStore(settings: Sample.settings(idle: idle), client: "shop")
    }

    private func memory(notes: Bool = true, idle: Int = 1800) -> MemorySessionStore {
        var settings = Sample.settings(.memory, idle: idle)
        settings.notesExpired = notes
        return MemorySessionStore(settings: settings, client: "shop")
    }

    @Test(.holds("ECO-57")) func `are named by their cookie, with the limit, and only when they reached it`()
        async throws
    {
        let store = try cookies()
        let session = Sample.session()
        let value = try await store.create(session, now: Self.now)
        #expect(store.expired(value, now: Self.now + 1799) == nil)
        let idle = try #require(store.expired(value, now: Self.now + 1800))
        #expect(idle.limit == .idle && idle.subject == "alice" && idle.issuer == Sample.issuer)
        #expect(idle.reference == session.reference)
        #expect(store.expired(value, now: Self.now + 28_800)?.limit == .absolute)
    }

    @Test(.refuses("ECO-57")) func `are not those of others, forged ones, and those that a logout ended`() async throws
    {
        let store = try cookies()
        let session = Sample.session()
        let value = try await store.create(session, now: Self.now)
        for forged in [Array("x".utf8), [], Array(value.dropLast(1)), value + [0x41]] {
            #expect(store.expired(forged, now: Self.now + 1800) == nil)
        }
        let other = try CookieSessionStore(settings: Sample.settings(), client: "blog")
        #expect(other.expired(value, now: Self.now + 1800) == nil)
        _ = try await store.end(.session(session), now: Self.now)
        #expect(store.expired(value, now: Self.now + 1800) == nil)
        #expect(store.takeExpired().isEmpty)
    }

    @Test(.holds("ECO-57")) func `are noted once where they are held, by a look and by a sweep`() async throws {
        let store = memory()
        let looked = try await store.create(Sample.session(subject: "bob"), now: Self.now)
        _ = try await store.create(Sample.session(), now: Self.now)
        #expect(store.takeExpired().isEmpty)
        #expect(store.lookUp(looked, now: Self.now + 1800).session == nil)
        store.sweep(now: Self.now + 28_800)
        let expired = store.takeExpired()
        #expect(Set(expired.map(\.subject)) == ["bob", "alice"])
        #expect(expired.first { $0.subject == "bob" }?.limit == .idle)
        #expect(expired.first { $0.subject == "alice" }?.limit == .absolute)
        #expect(store.takeExpired().isEmpty)
    }

    @Test(.refuses("ECO-57")) func `are noted nowhere but where somebody wants it, and a thousand of them at most`()
        async throws
    {
        let silent = memory(notes: false)
        _ = try await silent.create(Sample.session(), now: Self.now)
        silent.sweep(now: Self.now + 28_800)
        #expect(silent.takeExpired().isEmpty)
        let store = memory()
        for number in 0..<1010 { _ = try await store.create(Sample.session(subject: "u\(number)"), now: Self.now) }
        store.sweep(now: Self.now + 28_800)
        #expect(store.takeExpired().count == 1000 && store.entries == 0)
        // A logout is no limit.
        let session = Sample.session()
        _ = try await store.create(session, now: Self.now)
        _ = try await store.end(.session(session), now: Self.now)
        store.sweep(now: Self.now + 28_800)
        #expect(store.takeExpired().isEmpty)
    }
}
