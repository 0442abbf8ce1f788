import Crypto
import Sessions
import TestTraits
import Testing

@testable import SharedState

/// What a process knows of sessions without asking.
@Suite struct `sessions known to a process` {
    private let rules = CheckRules(limits: SessionLimits(Replica.settings()), recheck: 10)
    private let secret = SHA256.hash([1, 2, 3].span)

    private func entry(_ session: Session) -> KnownSessions.Entry {
        KnownSessions.Entry(session, secret: secret, markers: [], checkedAt: Sample.now)
    }

    @Test(.holds("SH-73"), .refuses("SH-73")) func `are as many as the limit, and those in use are the last to go`() {
        let known = KnownSessions(limit: 640)
        let used = Sample.session()
        known.keep(SharedSessionStore.key(of: used), entry(used))
        for _ in 0..<5000 {
            let session = Sample.session()
            known.keep(SharedSessionStore.key(of: session), entry(session))
            guard case .found = known.look(SharedSessionStore.key(of: used), secret: secret, now: Sample.now, rules)
            else {
                Issue.record("one in use was forgotten")
                return
            }
        }
        #expect((500...640).contains(known.count))
    }

    @Test(.holds("SH-34")) func `stay while they wait to be written`() {
        let known = KnownSessions(limit: 64)
        let session = Sample.session()
        let key = SharedSessionStore.key(of: session)
        known.keep(key, entry(session))
        #expect(known.hold(key, Sample.refreshed(session), leased: 0))
        for _ in 0..<1000 {
            let other = Sample.session()
            known.keep(SharedSessionStore.key(of: other), entry(other))
        }
        #expect(known.entry(key)?.session.generation == 1)
        #expect(!known.keep(key, entry(session)) || known.entry(key)?.session.generation == 1, "the old state is spent")
        known.end(key, now: Sample.now)
        #expect(!known.hold(key, Sample.refreshed(session), leased: 0), "a logout wins")
    }

    @Test(.refuses("SH-73")) func `remember endings within bounds`() {
        let known = KnownSessions(limit: 64)
        for number in 0..<70_000 {
            known.end(NameDigest(SHA256.hash("\(number)".bytes.span)), now: Sample.now)
        }
        let session = Sample.session()
        known.end(SharedSessionStore.key(of: session), now: Sample.now)
        #expect(known.isOver(SharedSessionStore.key(of: session)))
        known.sweep(now: Sample.now + 600, rules.limits)
        #expect(!known.isOver(SharedSessionStore.key(of: session)))
    }

    @Test func `are named by the same bits in a cookie and in the log`() throws {
        let session = Sample.session()
        let name = try Sample.names().session(session.id)
        #expect(NameDigest(suffix: name.suffix) == SharedSessionStore.key(of: session))
        #expect(NameDigest(suffix: Array(name.suffix.dropLast())) == nil)
        #expect(NameDigest(suffix: [UInt8](repeating: 0x21, count: 22)) == nil)
    }
}
