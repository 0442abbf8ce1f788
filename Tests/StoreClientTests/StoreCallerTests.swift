import Crypto
import EventLoop
import Foundation
import RESP
import SharedState
import StoreLink
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import StoreClient

/// Threads for those who ask: the test, and others, hold those that tasks have in common.
private final class AskingThreads: TaskExecutor {
    static let shared = AskingThreads()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Code that waits, on any thread, asks by the links of one loop.
@Suite(.serialized) struct `a caller of the store` {
    /// What came of questions that are asked of the links while the test turns their loop.
    ///
    /// `each` is done at each turn.
    private func outcomes(
        _ talk: StoreTalk, _ caller: any StoreAsking, _ questions: [StoreQuestion], each: () -> Void = {}
    ) -> [Result<StoreReply, StoreRefusal>] {
        let outcomes = Watched<[Int: Result<StoreReply, StoreRefusal>]>([:])
        for (index, question) in questions.enumerated() {
            Task.detached(executorPreference: AskingThreads.shared) {
                let outcome: Result<StoreReply, StoreRefusal>
                do throws(StoreRefusal) {
                    outcome = .success(try await caller.ask(question))
                } catch {
                    outcome = .failure(error)
                }
                outcomes.withLock { $0[index] = outcome }
            }
        }
        _ = talk.turns {
            each()
            return outcomes.now.count == questions.count
        }
        return questions.indices.map { outcomes.now[$0] ?? .failure(.unknown) }
    }

    private func question(_ name: String, _ words: String..., changesNothing: Bool = false) throws -> StoreQuestion {
        let key = try Self.name(name)
        return StoreQuestion(
            key: key, arguments: [Array(words[0].utf8), key.bytes] + words.dropFirst().map { Array($0.utf8) },
            changesNothing: changesNothing)
    }

    /// A name that begins so: what stands behind the kind does not matter here.
    private static func name(_ text: String) throws -> StoreName {
        let names = StoreNames(prefix: "pc", ring: try StoreKeyRing([Secret((0..<32).map { UInt8($0) })]))
        switch text {
        case "proof": return names.proof(SHA256.hash([1, 2, 3].span))
        case "epoch": return names.epoch
        default: return names.log
        }
    }

    private static func talk(
        _ node: RedisNode, _ caller: StoreCaller, clock: @escaping () -> UInt64 = monotonicMicroseconds,
        change: (inout StoreSettings) -> Void = { _ in }
    ) throws -> StoreTalk {
        let talk = try StoreTalk(settings(node, change: change), clock: clock)
        talk.onReply = { ticket, answer in
            guard ticket >= StoreCaller.firstTicket else { return false }
            caller.answered(ticket, answer)
            return true
        }
        caller.use(talk.links)
        return talk
    }

    @Test(.holds("SH-14")) func `is answered each of many questions, from whatever thread`() throws {
        let (node, caller) = (try RedisNode(), StoreCaller())
        let talk = try Self.talk(node, caller)
        #expect(talk.opens())
        let first = outcomes(talk, caller, [try question("proof", "SET", "1", "NX")])
        #expect(first == [.success(.status(Array("OK".utf8)))])
        let rest = outcomes(talk, caller, try (0..<200).map { _ in try question("proof", "SET", "1", "NX") })
        #expect(rest.allSatisfy { $0 == .success(.null) })
        let odd = outcomes(talk, caller, [try question("proof", "HGET", "f"), try question("proof", "GET")])
        guard case .success(.error(let text)) = odd[0] else {
            Issue.record("\(odd)")
            return
        }
        #expect(String(decoding: text, as: UTF8.self).hasPrefix("WRONGTYPE"))
        #expect(odd[1] == .success(.bytes(Array("1".utf8))))
    }

    @Test(.refuses("SH-21", "SH-74")) func `is told that the store is unavailable, busy or silent, and nothing else`()
        throws
    {
        let (node, caller) = (try RedisNode(), StoreCaller())
        let unsent = Watched<[UInt8]>([])
        caller.onUnsent = { kind in unsent.withLock { $0.append(kind) } }
        let clock = Watched(monotonicMicroseconds())
        let talk = try Self.talk(node, caller, clock: { clock.now }) { $0.limits.inFlight = 16 }
        talk.links.stop()
        #expect(outcomes(talk, caller, [try question("proof", "GET")]) == [.failure(.unavailable)])
        talk.links.start()
        #expect(unsent.now == [UInt8(ascii: "p")])
        #expect(talk.opens())
        node.process.signal(SIGSTOP)
        let questions = try (0..<20).map { _ in try question("proof", "SET", "1") }
        // No time passes until all are asked.
        let many = outcomes(talk, caller, questions) { if unsent.now.count >= 5 { clock.withLock { $0 += 300_000 } } }
        // What the link itself asks takes a place, where it does.
        let busy = many.count { $0 == .failure(.busy) }
        #expect((4...5).contains(busy), "\(many)")
        #expect(many.count { $0 == .failure(.unknown) } == 20 - busy, "\(many)")
        #expect(unsent.now.count == 1 + busy)
        node.process.signal(SIGCONT)
        caller.use(nil)
        #expect(outcomes(talk, caller, [try question("log", "GET")]) == [.failure(.unavailable)])
        #expect(unsent.now.count == 2 + busy)
    }

    @Test(.holds("SH-84"), .refuses("SH-17"))
    func `that reaches nobody leaves its questions to the next one, if they were certainly not executed`() throws {
        let (node, idle, caller) = (try RedisNode(), StoreCaller(), StoreCaller())
        let clock = Watched(monotonicMicroseconds())
        let talk = try Self.talk(node, caller, clock: { clock.now })
        #expect(talk.opens())
        let set = try question("proof", "SET", "1", "NX")
        #expect(outcomes(talk, StoreCallers([idle, caller]), [set]) == [.success(.status(Array("OK".utf8)))])
        #expect(outcomes(talk, StoreCallers([]), [set]) == [.failure(.unavailable)])
        #expect(outcomes(talk, StoreCallers([idle]), [set]) == [.failure(.unavailable)])
        // One that may have been executed is nobody else's: the second would find the first one's mark.
        node.process.signal(SIGSTOP)
        let before = talk.links.counters.commands
        let told = outcomes(talk, StoreCallers([caller, caller]), [set]) {
            if talk.links.counters.commands > before { clock.withLock { $0 += 300_000 } }
        }
        #expect(told == [.failure(.unknown)])
        #expect(talk.links.counters.commands == before + 1)
        node.process.signal(SIGCONT)
    }

    @Test(.refuses("SH-80")) func `is given no answer to a ticket that is not open`() throws {
        let (node, caller) = (try RedisNode(), StoreCaller())
        let talk = try Self.talk(node, caller)
        #expect(talk.opens())
        for ticket in [0, 1, StoreCaller.firstTicket, StoreCaller.firstTicket | 7, .max] as [UInt64] {
            caller.answered(ticket, .unknown)
        }
        #expect(outcomes(talk, caller, [try question("proof", "GET")]) == [.success(.null)])
    }

    @Test(.holds("SH-86")) func `counts its questions by the letter of their keys`() throws {
        #expect(StoreCaller.kind(of: try Self.name("proof")) == UInt8(ascii: "p"))
        #expect(StoreCaller.kind(of: try Self.name("log")) == UInt8(ascii: "e"))
        #expect(StoreCaller.kind(of: try Self.name("epoch")) == 0)
        for letter in UInt8(ascii: "a")...UInt8(ascii: "z") {
            let ticket = StoreCaller.firstTicket | UInt64(letter) << 48 | 0xFFFF_FFFF_FFFF
            #expect(StoreCaller.kind(of: ticket) == letter && ticket >= StoreCaller.firstTicket)
        }
    }
}
