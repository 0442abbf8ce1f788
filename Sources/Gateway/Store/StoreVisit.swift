import Access
import Crypto
import EventLoop
package import SharedState
import StoreClient
import StoreLink
import Synchronization
import Transport

/// Asks the store for an operator's command, in a process that serves nobody.
package enum StoreVisit {
    /// Why nothing came of it.
    package enum Failure: Error, Sendable {
        /// The settings, or the machine, do not allow it.
        case notBegun(GatewayFailure)
        /// The store did not do it; what was heard of its servers meanwhile.
        case refused(StoreRefusal, heard: String?)
    }

    /// What `work` makes of the store; waits for it on a loop of its own, which the calling thread runs.
    package static func run<Outcome: Sendable>(
        _ settings: StoreSettings,
        _ work: @escaping @Sendable (SharedStore) async throws(StoreRefusal) -> Outcome
    ) throws(Failure) -> Outcome {
        let (loop, resolver, caller) = (try makeLoop(), Resolver(), StoreCaller())
        defer { resolver.stop() }
        let (servers, store) = try reach(settings, caller, loop)
        let hearing = StoreHearing(caller)
        let links = StoreLinks(
            servers, loop: loop, resolver: resolver, clock: { WorkerClock().microseconds() }, receiver: hearing)
        caller.use(links)
        links.start()
        let result = Once<Result<Outcome, StoreRefusal>>()
        Task {
            let outcome: Result<Outcome, StoreRefusal>
            do throws(StoreRefusal) {
                outcome = .success(try await work(store))
            } catch {
                outcome = .failure(error)
            }
            result.set(outcome)
            loop.stop()
        }
        loop.run()
        links.stop()
        switch result.value {
        case .success(let outcome): return outcome
        case .failure(let refusal): throw .refused(refusal, heard: hearing.heard)
        case nil: throw .refused(.unavailable, heard: hearing.heard)
        }
    }

    private static func makeLoop() throws(Failure) -> EventLoop {
        do throws(EventLoopFailure) {
            return try EventLoop()
        } catch {
            throw .notBegun(GatewayFailure("a loop could not be made", "\(error)"))
        }
    }

    private static func reach(
        _ settings: StoreSettings, _ caller: StoreCaller, _ loop: EventLoop
    ) throws(Failure) -> (StoreServers, SharedStore) {
        let plan: StorePlan
        do throws(GatewayFailure) {
            plan = try StorePlan(settings, ProofSettings(), caller: caller, readsTLS: true)
        } catch {
            throw .notBegun(error)
        }
        do throws(CryptoRefusal) {
            let connect = settings.timeouts.connect.components.seconds
            return (
                plan.servers,
                try SharedStore(settings, asking: PatientAsking(caller, loop, seconds: UInt64(max(0, connect)) + 3))
            )
        } catch {
            throw .notBegun(GatewayFailure("the store cannot be used", "a key is not 32 bytes"))
        }
    }
}

/// Asks again what was certainly not executed, until the links that were just opened stand.
private struct PatientAsking: StoreAsking {
    private let caller: StoreCaller
    private let loop: EventLoop
    private let until: UInt64

    init(_ caller: StoreCaller, _ loop: EventLoop, seconds: UInt64) {
        self.caller = caller
        self.loop = loop
        until = WorkerClock().microseconds() + seconds * 1_000_000
    }

    func ask(_ question: StoreQuestion) async throws(StoreRefusal) -> StoreReply {
        while true {
            do throws(StoreRefusal) {
                return try await caller.ask(question)
            } catch {
                guard error == .unavailable, WorkerClock().microseconds() < until else { throw error }
            }
            try? await loop.sleep(milliseconds: 20)
        }
    }
}

/// Hands answers to the caller, and keeps the last that was heard of a server.
private final class StoreHearing: StoreReceiving {
    private let caller: StoreCaller
    private(set) var heard: String?

    init(_ caller: StoreCaller) { self.caller = caller }

    func storeAnswered(_ ticket: UInt64, _ answer: borrowing Answer, after microseconds: UInt64) {
        caller.answered(ticket, answer)
    }

    func storeTold(_ event: StoreEvent) {
        switch event {
        case .lost(let place, let loss, let user):
            heard = "\(place.text): \(loss.found)" + (loss.isOfRights ? ", of the user \(user.name)" : "")
        case .unsuitable(let place, let setting, let found): heard = "\(place.text): \(found) (\(setting))"
        case .connected, .epoch, .information: break
        }
    }
}

/// A value that one thread sets and another reads.
private final class Once<Value: Sendable>: Sendable {
    private let held = Mutex<Value?>(nil)

    var value: Value? { held.withLock { $0 } }

    func set(_ value: Value) { held.withLock { $0 = value } }
}
