import Bytes
import Crypto
import Issuers
import OAuth
import Sessions
import TestSupport
import TestTraits
import Testing

@testable import Access

@Suite struct `those who are known` {
    private let rig: JudgeRig

    init() throws {
        rig = try JudgeRig([JudgeRig.session()], logins: [JudgeRig.login()], cacheEntries: 1500)
        rig.identities.stores = [
            MemorySessionStore(
                settings: SessionSettings(store: .memory, cookieName: JudgeRig.cookieName), client: "shop")
        ]
    }

    private func token(_ number: Int, for seconds: Int64 = 60) throws -> TokenRecord {
        let record = rig.table.policy.pointee.remember(
            introspected: try verifiedToken(), digest(number), issuer: 0, until: rig.now + seconds, &rig.identities,
            now: rig.now)
        record.release()
        return record
    }

    private func session(_ number: Int) -> TokenRecord {
        let session = Session(
            id: [UInt8](repeating: 1, count: 16), client: "shop", issuer: "https://issuer.example/", subject: "alice",
            claims: Array("{}".utf8), scopes: [], createdAt: rig.now, endsAt: rig.now + 3600)
        return rig.table.policy.pointee.remember(
            FoundSession(session, value: [1, 2, 3], digest: digest(number), login: 0, endings: 0), &rig.identities,
            now: rig.now
        ).record
    }

    @Test(.holds("JOSE-34")) func `pay for what is kept with them in the cache that they are in`() throws {
        let sessionRecord = session(1)
        let tokenRecord = try token(2)
        let before = (rig.identities.tokens.bytes, rig.identities.sessions.bytes)
        rig.identities.charge(sessionRecord, 100)
        #expect(rig.identities.tokens.bytes == before.0 && rig.identities.sessions.bytes == before.1 + 100)
        rig.identities.charge(tokenRecord, 10)
        #expect(rig.identities.tokens.bytes == before.0 + 10 && rig.identities.sessions.bytes == before.1 + 100)
        let block = rig.identities.keep(upstreamToken: [1, 2, 3], of: sessionRecord, rule: 0, until: .max)
        #expect(rig.identities.tokens.bytes == before.0 + 10)
        #expect(rig.identities.sessions.bytes == before.1 + 100 + block.cost)
    }

    @Test(.holds("JOSE-34")) func `go when their time is over, some at each sweep, and the others stay`() throws {
        for number in 0..<600 { _ = try token(number) }
        rig.now += 30
        for number in 600..<1000 { _ = try token(number) }
        _ = session(-1)
        rig.now += 30
        for _ in 0..<8 { rig.identities.sweepCaches(now: rig.now) }
        #expect(rig.identities.tokens.entries == 400)
        #expect((600..<1000).allSatisfy { rig.identities.tokens.find(digest($0)) != nil })
        #expect(rig.metric("portcullis_token_cache_entries ") == 400)
        #expect(rig.metric("portcullis_token_cache_bytes ") == rig.identities.tokens.bytes)
        #expect(rig.metric("portcullis_session_cache_entries ") == 1)
        rig.now += 3600
        for _ in 0..<4 { rig.identities.sweepCaches(now: rig.now) }
        #expect(rig.identities.tokens.entries == 0 && rig.identities.tokens.bytes == 0)
        #expect(rig.identities.sessions.entries == 0 && rig.identities.sessions.bytes == 0)
    }

    @Test(.refuses("JOSE-21")) func `are issuers by their whole name, byte for byte`() {
        #expect(rig.identities.place(ofIssuer: "https://issuer.example/") == 0)
        #expect(rig.identities.place(ofIssuer: "https://other.example/") == 1)
        for name in [
            nil, "", "main", "https://issuer.example", "https://issuer.example//", "https://Issuer.example/",
            "https://issuer.example/ ", " https://issuer.example/",
        ] {
            #expect(rig.identities.place(ofIssuer: name) == nil, "\(name ?? "none")")
        }
    }

    // MARK: what a request holds

    @Test func `are held by a request until it forgets them, each once`() throws {
        let records = try TokenRecords()
        let (first, second, third) = (records.make(digest(1)), records.make(digest(2)), records.make(digest(3)))
        // The request has the makers' uses; ours stay, so that they can be looked at afterwards.
        var findings = Findings()
        findings.token = first
        findings.lookup = .active(second)
        findings.exchanged = .active(third)
        let block = AttachedBlock(rule: 0, [1])
        block.retain()
        findings.upstreamToken = block
        findings.hasWaited = true
        findings.givesNonce = true
        findings.sessionCookie = .cleared(login: 1)
        findings.reached = .plan
        #expect(records.alive == 3)
        findings.forget()
        #expect(records.alive == 0)
        #expect(findings.token == nil && findings.upstreamToken == nil && findings.route == nil)
        #expect(!findings.hasWaited && !findings.givesNonce && findings.sessionCookie == .none)
        #expect(findings.reached == .target && findings.scheme == .none && findings.proved == nil)
        #expect(String(copying: block.bytes) == "\u{1}", "our own use of it is left")
        block.release()
        findings.forget()
    }

    @Test(.holds("JOSE-34")) func `are taken in the place of those from before a wait`() throws {
        let records = try TokenRecords()
        let (first, second) = (records.make(digest(1)), records.make(digest(1)))
        var findings = Findings()
        findings.take(first, into: &rig.identities)
        #expect(first.uses == 3 && findings.token == first)
        findings.take(first, into: &rig.identities)
        #expect(first.uses == 3, "taking the same again holds it once")
        findings.take(second, into: &rig.identities)
        #expect(first.uses == 2 && second.uses == 3 && findings.token == second)
        findings.forget()
        #expect(second.uses == 2)
        first.release()
        second.release()
    }
}

@Suite struct `values at a fixed place` {
    /// Counts its own ends.
    private final class Count {
        var made = 0
        var ended = 0
    }

    private struct Value: ~Copyable {
        let number: Int
        var changes = 0
        private let count: Count

        init(_ number: Int, _ count: Count) {
            self.number = number
            self.count = count
            count.made += 1
        }

        deinit { count.ended += 1 }
    }

    @Test(arguments: [0, 1, 2, 100]) func `are made once each, read in place, and ended together`(size: Int) {
        let count = Count()
        let list = FixedList(count: size) { Value($0, count) }
        #expect(list.count == size && count.made == size)
        for place in 0..<size { list[place].changes += place }
        let copy = list
        for place in 0..<size {
            let (number, changes) = (copy[place].number, copy.value(at: place).pointee.changes)
            #expect(number == place && changes == place)
        }
        #expect(count.ended == 0)
        list.destroy()
        #expect(count.made == size && count.ended == size)
    }

    @Test func `are alone where there is one`() {
        let count = Count()
        let value = FixedValue(Value(7, count))
        let other = value
        let number = other.pointee.number
        #expect(number == 7 && count.ended == 0)
        value.destroy()
        #expect(count.ended == 1)
    }

    @Test func `are not there beyond the list's end`() async {
        await #expect(processExitsWith: .failure) {
            let list = FixedList(count: 2) { $0 }
            _ = list[2]
        }
        await #expect(processExitsWith: .failure) {
            let list = FixedList(count: 2) { $0 }
            _ = list.value(at: -1)
        }
    }
}
