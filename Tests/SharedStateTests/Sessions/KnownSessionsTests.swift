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
        #expect(known.hold(key, entry(Sample.refreshed(session)), leased: 0, until: Sample.now + 1800))
        for _ in 0..<1000 {
            let other = Sample.session()
            known.keep(SharedSessionStore.key(of: other), entry(other))
        }
        #expect(known.entry(key)?.session.generation == 1)
        #expect(!known.keep(key, entry(session)) || known.entry(key)?.session.generation == 1, "the old state is spent")
        known.end(key, now: Sample.now)
        #expect(
            !known.hold(key, entry(Sample.refreshed(session)), leased: 0, until: Sample.now + 1800), "a logout wins")
    }

    /// Otherwise an older state in the store would count as held for good, and the place would be lost.
    @Test(.refuses("SH-34")) func `are let go when they could not be written for as long as they live without use`() {
        let known = KnownSessions(limit: 64)
        let sessions = (0..<200).map { _ in Sample.session() }
        for session in sessions {
            let key = SharedSessionStore.key(of: session)
            known.keep(key, entry(session))
            #expect(known.hold(key, entry(Sample.refreshed(session)), leased: 0, until: Sample.now + 1800))
        }
        known.sweep(now: Sample.now + 1799, rules.limits)
        #expect(known.count == 200)
        known.sweep(now: Sample.now + 1800, rules.limits)
        #expect(known.count == 0)
        for _ in 0..<1000 {
            let other = Sample.session()
            known.keep(SharedSessionStore.key(of: other), entry(other))
        }
        #expect(known.count <= 64, "nor do their places stay")
        let session = Sample.session()
        let key = SharedSessionStore.key(of: session)
        #expect(known.hold(key, entry(Sample.refreshed(session)), leased: 0, until: .max))
        known.sweep(now: Sample.now + 28_800, rules.limits)
        #expect(known.entry(key) == nil, "at its absolute end whoever still tries")
    }

    @Test(.holds("SH-73"), .refuses("SH-73")) func `are as many as a limit that is changed says`() {
        let known = KnownSessions(limit: 64)
        func keep(_ count: Int) {
            for _ in 0..<count {
                let session = Sample.session()
                known.keep(SharedSessionStore.key(of: session), entry(session))
            }
        }
        keep(2000)
        #expect(known.count <= 64)
        known.change(limit: 640)
        keep(5000)
        #expect((500...640).contains(known.count))
        known.change(limit: 64)
        known.sweep(now: Sample.now, rules.limits)
        #expect(known.count <= 64)
        keep(2000)
        #expect(known.count <= 64)
        known.change(limit: .max)
        keep(100)
        #expect(known.count > 100)
    }

    @Test(.holds("SH-40")) func `are asked about before their next use when something was missed`() {
        let known = KnownSessions(limit: 640)
        let sessions = (0..<300).map { _ in Sample.session() }
        for session in sessions { known.keep(SharedSessionStore.key(of: session), entry(session)) }
        known.makeAllDue()
        for session in sessions {
            guard
                case .unknown = known.look(
                    SharedSessionStore.key(of: session), secret: secret, now: Sample.now, rules)
            else {
                Issue.record("one is believed in")
                return
            }
        }
    }

    /// After a gap all that is open is to be asked about, and there may be a gap each second.
    @Test(.refuses("SH-40")) func `wait to be asked about once each, however often they are to be`() {
        let open = OpenQuestions()
        let keys = (0..<100).map { NameDigest(SHA256.hash("\($0)".bytes.span)) }
        #expect(open.add(keys, now: Sample.now))
        for _ in 0..<50 { #expect(!open.add(keys, now: Sample.now + 7)) }
        var asked: [NameDigest] = []
        while let (batch, now) = open.next() {
            #expect(now == Sample.now + 7, "what is asked late is asked at its own time")
            #expect(batch.count <= 64)
            asked += batch
        }
        #expect(asked.count == 100 && Set(asked) == Set(keys))
        #expect(open.add(keys, now: Sample.now + 8), "whoever comes next asks")
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
