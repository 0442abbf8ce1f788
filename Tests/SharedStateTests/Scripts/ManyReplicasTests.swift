import Crypto
import Foundation
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import SharedState

/// What holds when many ask at once, at a real server.
@Suite struct `many replicas at one store` {
    private let server: RedisServer

    init() throws { server = try RedisServer.shared.get() }

    @Test(.holds("SH-30"), .refuses("SH-30"))
    func `refresh each session once, and all of them have the result`() throws {
        let names = try (0..<50).map { _ in try Sample.unusedName() }
        let life = TimeToLive(seconds: 600)
        let setUp = try server.client()
        for name in names {
            _ = try setUp.ask(KeepSession(key: name, generation: 0, value: "old".bytes, timeToLive: life))
        }
        let asked = Atomic(0)
        let seen = Atomic(0)
        let clients = try (0..<8).map { _ in try server.client() }
        DispatchQueue.concurrentPerform(iterations: clients.count) { replica in
            for name in replica.isMultiple(of: 2) ? names : names.reversed() {
                let isNew = try? eventually {
                    switch try clients[replica].ask(BeginRefresh(key: name, generation: 0, lease: life)) {
                    case .yours(let fence):
                        asked.wrappingAdd(1, ordering: .relaxed)
                        let commit = CommitRefresh(
                            key: name, fence: fence, leased: 0, generation: 1, value: "new".bytes, timeToLive: life)
                        return try clients[replica].ask(commit) == .kept
                    case .newer(1, let value): return value == "new".bytes
                    case .busy: return false
                    case .paused, .newer, .older, .gone: throw StoreRefusal.unexpected
                    }
                }
                if isNew == true { seen.wrappingAdd(1, ordering: .relaxed) }
            }
        }
        #expect(asked.load(ordering: .relaxed) == names.count)
        #expect(seen.load(ordering: .relaxed) == names.count * clients.count)
    }

    @Test(.holds("SH-55"), .refuses("SH-55")) func `let one of equal proofs pass, whoever asks`() throws {
        let names = try Sample.names()
        let proofs = (0..<200).map { _ in names.proof(SHA256.hash(Sample.random(32).span)) }
        let firsts = Atomic(0)
        let clients = try (0..<8).map { _ in try server.client() }
        DispatchQueue.concurrentPerform(iterations: clients.count) { replica in
            for proof in proofs {
                let use = UseOnce(proof: proof, until: Sample.now + 60, now: Sample.now)
                if (try? clients[replica].ask(use)) == .first { firsts.wrappingAdd(1, ordering: .relaxed) }
            }
        }
        #expect(firsts.load(ordering: .relaxed) == proofs.count)
    }

    @Test(.refuses("SH-32", "SH-38")) func `never bring back a session that one of them ends`() throws {
        let life = TimeToLive(seconds: 600)
        for _ in 0..<100 {
            let name = try Sample.unusedName()
            let clients = try (0..<3).map { _ in try server.client() }
            _ = try clients[0].ask(KeepSession(key: name, generation: 0, value: "v".bytes, timeToLive: life))
            DispatchQueue.concurrentPerform(iterations: clients.count) { replica in
                let client = clients[replica]
                switch replica {
                case 0: _ = try? client.ask(EndSession(key: name, tombstone: life))
                case 1:
                    if case .yours(let fence)? = try? client.ask(BeginRefresh(key: name, generation: 0, lease: life)) {
                        _ = try? client.ask(
                            CommitRefresh(
                                key: name, fence: fence, leased: 0, generation: 1, value: "w".bytes, timeToLive: life))
                    }
                default:
                    _ = try? client.ask(
                        KeepSession(key: name, generation: 0, value: "again".bytes, timeToLive: life))
                }
            }
            #expect(try clients[0].ask(LoadSession(key: name)) == .none)
            #expect(try clients[0].timeToLive(of: name) > 0)
        }
    }

    /// One of the two sees the other, whatever comes first.
    ///
    /// A login writes its index, then the session, and then looks for markers; a logout of the server's writes its marker,
    /// and then looks into the index.
    @Test(.refuses("SH-38")) func `let no session live that a logout token ends while it is made`() throws {
        let (login, logout) = (try server.client(), try server.client())
        let (names, life) = (try Sample.names(), TimeToLive(seconds: 600))
        for race in 0..<300 {
            let user = "\(race) \(Sample.random(8))"
            let marker = names.markers(client: "shop", issuer: Sample.issuer, subject: user)[0]
            let index = names.indexes(client: "shop", issuer: Sample.issuer, subject: user)[0]
            let session = try Sample.unusedName()
            DispatchQueue.concurrentPerform(iterations: 2) { side in
                if side == 0 {
                    _ = try? login.ask(EnrollSession(key: index, session: session, timeToLive: life))
                    _ = try? login.ask(KeepSession(key: session, generation: 0, value: [1], timeToLive: life))
                    let until = (try? login.ask(ReadMarker(key: marker))) ?? nil
                    if until != nil { _ = try? login.ask(EndSession(key: session, tombstone: life)) }
                } else {
                    try? logout.ask(MarkEnded(key: marker, until: Sample.now, timeToLive: life))
                    let found = try? logout.send(["ZRANGE".bytes, index.bytes, "0".bytes, "-1".bytes])
                    for suffix in found?.array?.compactMap(\.bytes) ?? [] {
                        guard let name = names.name(.session, suffix: suffix) else { continue }
                        _ = try? logout.ask(EndSession(key: name, tombstone: life))
                    }
                }
            }
            #expect(try login.ask(LoadSession(key: session)) == .none)
        }
    }

    @Test(.refuses("SH-27")) func `leave no key that lives for ever, in whatever order things come`() throws {
        let own = try RedisServer()
        let client = try own.client()
        var dice = SystemRandomNumberGenerator()
        let names = try Sample.names()
        let sessions = (0..<5).map { names.session([UInt8](repeating: UInt8($0), count: 16)) }
        let marker = names.markers(client: "shop", issuer: "i", subject: "s")[0]
        let index = names.indexes(client: "shop", issuer: "i", subject: "s")[0]
        for step in 0..<3000 {
            let name = sessions[step % 5]
            let life = TimeToLive(milliseconds: [-5, 0, 1, 3, 100_000].randomElement(using: &dice) ?? 1)
            let generation = UInt32.random(in: 0...3, using: &dice)
            switch Int.random(in: 0..<9, using: &dice) {
            case 0, 1:
                _ = try client.ask(KeepSession(key: name, generation: generation, value: [1], timeToLive: life))
            case 2: _ = try client.ask(BeginRefresh(key: name, generation: generation, lease: life))
            case 3:
                _ = try client.ask(
                    CommitRefresh(
                        key: name, fence: UInt64(generation), leased: generation, generation: generation + 1,
                        value: [2], timeToLive: life))
            case 4: _ = try client.ask(PutBackRefresh(key: name, fence: UInt64(generation), pause: life))
            case 5: _ = try client.ask(EndSession(key: name, tombstone: life))
            case 6: _ = try client.ask(MarkEnded(key: marker, until: Int64(step % 7), timeToLive: life))
            case 7: _ = try client.ask(EnrollSession(key: index, session: name, timeToLive: life))
            default:
                _ = try client.ask(FetchRequestObject(key: name, limit: 5))
                _ = try client.ask(TouchSession(key: name, timeToLive: life))
            }
            for key in sessions + [marker, index] {
                let left = try client.timeToLive(of: key)
                #expect(left >= 0 || left == -2, "step \(step)")
            }
        }
    }
}
