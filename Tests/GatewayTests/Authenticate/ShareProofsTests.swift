import Access
import Crypto
import EventLoop
import Explain
import Glibc
import HTTPMessage
import Issuers
import JOSE
import OAuth
import Telemetry
import TestSupport
import TestTraits
import Testing
import Transport

@testable import Gateway

/// A store that answers when a test says so, and what.
private final class ScriptedStore: ProofSharing {
    struct Asked {
        let digest: SHA256Digest
        let until: Int64
        let usableSince: Int64
        let now: Int64
        let ticket: UInt64
    }

    var asked: [Asked] = []
    /// The numbers of questions that have no answer yet.
    var open: Set<UInt64> = []
    var question = ProofQuestion.asked
    /// Up to when it may have forgotten what was used.
    var forgottenUntil = Int64.min

    func mayHaveForgotten(usableSince: Int64) -> Bool { usableSince <= forgottenUntil }

    func spend(_ proof: UnspentProof, now: Int64, ticket: UInt64) -> ProofQuestion {
        asked.append(
            Asked(digest: proof.key, until: proof.until, usableSince: proof.usableSince, now: now, ticket: ticket))
        guard !mayHaveForgotten(usableSince: proof.usableSince) else { return .forgotten }
        if question == .asked { open.insert(ticket) }
        return question
    }
}

/// A worker whose loop is turned by hand, with clients and an upstream at sockets, and a store that is none.
private final class SharedProofs {
    static let now: Int64 = 1_800_000_000

    let gateway: Gateway
    let worker: WorkerRef
    let store = ScriptedStore()
    let upstream: RecordingUpstream
    private let mint = TokenMint(now: SharedProofs.now)
    private let settings: GatewaySettings

    init(
        _ sharing: ProofSettings.Sharing = .required, explains: Bool = false,
        _ change: (inout GatewaySettings) -> Void = { _ in }
    ) throws {
        upstream = try RecordingUpstream()
        var token = TokenSettings(issuers: ["main"], audiences: [mint.audience])
        token.schemes = [.dpop, .bearer]
        var settings = GatewaySettings(
            workers: 1,
            listeners: [
                ListenerSettings(
                    address: SocketAddressSettings(host: "127.0.0.1", port: 0), publicURL: "https://api.example",
                    authorities: ["api.example"])
            ],
            admin: AdminSettings(address: SocketAddressSettings(host: "127.0.0.1", port: 0)),
            issuers: [
                IssuerSettings(
                    name: "main", url: mint.issuer, rules: AccessTokenRules(issuer: mint.issuer, algorithms: [.es256]))
            ],
            routes: [
                RouteSettings(
                    name: "all", path: "/", upstream: UpstreamSettings(host: "127.0.0.1", port: upstream.port),
                    access: .token(token))
            ])
        settings.proofs.sharing = sharing
        settings.explainBuffer = explains ? 10 : 0
        settings.log.operatorDestination = .off
        settings.log.accessDestination = .file("/dev/null")
        change(&settings)
        self.settings = settings
        gateway = try Gateway(settings, version: "test", explain: { _, _ in [] })
        worker = gateway.workers[0].worker
        worker.pointee.questions.proofs = store
        worker.pointee.loop.clockStandsAt = Self.now
        FileEvent.add(worker.event(of: 0))
        try giveKeys()
    }

    func giveKeys() throws {
        worker.keysArrived(
            try ReadKeys.given(Array(mint.keySet.utf8), for: settings.issuers[0]), issuer: 0)
    }

    /// Turns the loop until it is so.
    func turn(until isSo: () -> Bool) throws {
        let deadline = Deadline.patient
        while !isSo() {
            guard !deadline.hasPassed else { throw Stuck() }
            gateway.workers[0].loop.runOnce(blocking: false)
            sched_yield()
        }
    }

    struct Stuck: Error {}

    func connect() throws -> RawClient {
        try RawClient(
            port: Transport.Socket.localAddress(of: worker.pointee.listening.listeners[0].descriptor).port)
    }

    func request(_ id: String = "proof-1", nonce: String? = nil, fields: [String] = []) -> String {
        let token = mint.accessToken(claims: ["cnf": "{\"jkt\":\"\(ProofMint().thumbprint)\"}"])
        let proof = ProofMint(target: "https://api.example/a", token: token, now: Self.now).proof(
            id: id, claims: nonce.map { ["nonce": "\"\($0)\""] } ?? [:])
        let lines = [
            "GET /a HTTP/1.1", "Host: api.example", "Authorization: DPoP \(token)", "DPoP: \(proof)",
        ]
        return (lines + fields).joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// Sends a request, and turns the loop until the store was asked about it.
    func ask(_ id: String = "proof-1", nonce: String? = nil, by client: RawClient) throws -> ScriptedStore.Asked {
        let count = store.asked.count
        try client.send(request(id, nonce: nonce))
        try turn { store.asked.count > count }
        return store.asked[count]
    }

    /// Has the store say this.
    func say(_ answer: ProofAnswer, to ticket: UInt64) {
        store.open.remove(ticket)
        worker.proofAnswered(ticket, answer)
    }

    /// The next answer, once nothing is under way any more.
    func answer(to client: RawClient) throws -> WireResponse {
        var answer: WireResponse?
        try turn {
            if answer == nil { answer = try? client.response(within: .zero) }
            return answer != nil && worker.pointee.connections.exchanges.inUse == store.open.count
        }
        return try #require(answer)
    }

    /// The one exchange that waits.
    var waiting: ExchangeRef? {
        var found: ExchangeRef?
        let exchanges = worker.pointee.connections.exchanges
        exchanges.forEachInUse { if $0.pointee.phase == .parked { found = $0 } }
        return found
    }

    var isAtRest: Bool {
        let waiting = worker.pointee.waiting
        return waiting.count == 0 && waiting.countOfProofs == 0 && waiting.countOfOthers == 0 && waiting.first == nil
    }

    /// Serves by other settings from now on.
    func reload(_ change: (inout GatewaySettings) -> Void) throws {
        var next = settings
        change(&next)
        let labels = MetricsLabels(next)
        let slots = gateway.registry.extend(labels, keeping: [gateway.generation.labels])
        let generation = try Generation(
            2, next, labels, metricsSlots: slots.routes, gateway, continuing: gateway.generation)
        let thread = gateway.workers[0]
        let prepared = try thread.prepare(
            generation, slots.workers[0], from: gateway.generation, beside: nil, gateway, onInstalled: {})
        thread.install(prepared, nil)
        let worker = worker
        try turn { worker.pointee.policy.generation == 2 }
        try giveKeys()
    }
}

@Suite struct `a request whose proof the store is asked about` {
    @Test(.holds("SH-56"), .holds("SH-55"), .holds("SH-87"))
    func `waits for the answer, goes to the upstream then, and its line says how long it waited`() throws {
        let shared = try SharedProofs()
        let client = try shared.connect()
        let asked = try shared.ask(by: client)
        #expect(asked.now == SharedProofs.now && asked.until == SharedProofs.now + 60)
        #expect(shared.upstream.requests.isEmpty)
        #expect(shared.worker.pointee.waiting.count == 1 && shared.worker.pointee.waiting.countOfProofs == 1)
        #expect(shared.worker.pointee.waiting.first == nil, "nobody passes it who looks for somebody else")
        shared.say(.first, to: asked.ticket)
        let answer = try shared.answer(to: client)
        #expect(answer.status == 200 && shared.upstream.requests.count == 1 && shared.isAtRest)
        let line = String(decoding: shared.worker.pointee.journal.log?.pointee.line.bytes ?? [], as: UTF8.self)
        #expect(line.contains(#/"store_us":[1-9]/#), "\(line)")
        // The next request on the same connection has a proof of its own.
        let next = try shared.ask("proof-2", by: client)
        #expect(next.ticket != asked.ticket && next.digest != asked.digest)
        shared.say(.first, to: next.ticket)
        #expect(try shared.answer(to: client).status == 200)
    }

    /// It may have been known to the store when it was asked about, and to that of the answer everything is new.
    @Test(.refuses("SH-61")) func `does not pass where the store forgot while it waited`() throws {
        let shared = try SharedProofs()
        let client = try shared.connect()
        let asked = try shared.ask(by: client)
        shared.store.forgottenUntil = asked.usableSince
        shared.say(.first, to: asked.ticket)
        #expect(try shared.answer(to: client).status == 503)
        #expect(shared.upstream.requests.isEmpty && shared.isAtRest)
        let line = String(decoding: shared.worker.pointee.journal.log?.pointee.line.bytes ?? [], as: UTF8.self)
        #expect(line.contains("store_forgot"), "\(line)")
        shared.store.forgottenUntil = .min
        let next = try shared.ask("proof-2", by: client)
        shared.store.forgottenUntil = next.usableSince - 1
        shared.say(.first, to: next.ticket)
        #expect(try shared.answer(to: client).status == 200, "one that it cannot have known")
    }

    @Test(.refuses("SH-61"), arguments: [false, true])
    func `has a nonce from before the store forgot, and is to be made with a new one`(whileItWaited: Bool) throws {
        let shared = try SharedProofs { settings in
            guard case .token(var token) = settings.routes[0].access else { return }
            token.dpop.nonce = .required
            settings.routes[0].access = .token(token)
        }
        let client = try shared.connect()
        let nonces = try #require(shared.worker.pointee.policy.nonces)
        let old = String(decoding: nonces.make(now: SharedProofs.now - 200), as: UTF8.self)
        if whileItWaited {
            let asked = try shared.ask(nonce: old, by: client)
            #expect(asked.usableSince == SharedProofs.now - 200)
            shared.store.forgottenUntil = SharedProofs.now - 100
            shared.say(.first, to: asked.ticket)
        } else {
            shared.store.forgottenUntil = SharedProofs.now - 100
            try client.send(shared.request(nonce: old))
        }
        let answer = try shared.answer(to: client)
        #expect(answer.status == 401)
        #expect(answer.fields["www-authenticate"].contains { $0.contains("use_dpop_nonce") })
        let fresh = try #require(answer.fields["dpop-nonce"].first)
        let again = try shared.ask("proof-2", nonce: fresh, by: client)
        shared.say(.first, to: again.ticket)
        #expect(try shared.answer(to: client).status == 200)
        // As long as one of now may be forgotten too, none helps.
        shared.store.forgottenUntil = SharedProofs.now
        try client.send(shared.request("proof-3", nonce: fresh))
        let refused = try shared.answer(to: client)
        #expect(refused.status == 503 && refused.fields["dpop-nonce"].isEmpty)
        #expect(shared.upstream.requests.count == 1 && shared.isAtRest)
    }

    @Test(.refuses("SH-55"), .refuses("SH-87"))
    func `is answered as a replay where the store has its proof, and nothing goes upstream`() throws {
        let shared = try SharedProofs()
        let client = try shared.connect()
        let asked = try shared.ask(by: client)
        shared.say(.used, to: asked.ticket)
        let elsewhere = try shared.answer(to: client)
        #expect(elsewhere.status == 401)
        #expect(elsewhere.fields["www-authenticate"].contains { $0.contains("invalid_dpop_proof") })
        try client.send(shared.request())
        let here = try shared.answer(to: client)
        #expect(here.status == 401 && here.fields["www-authenticate"] == elsewhere.fields["www-authenticate"])
        #expect(shared.store.asked.count == 1 && shared.upstream.requests.isEmpty)
        let log = String(decoding: shared.worker.pointee.journal.log?.pointee.line.bytes ?? [], as: UTF8.self)
        let lines = log.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains("store_us"))
        #expect(lines.last?.contains("store_us") == false, "it waited for nobody")
    }

    @Test(.refuses("SH-58")) func `is answered 503 where no answer counts, and its proof stays used up`() throws {
        let shared = try SharedProofs()
        let client = try shared.connect()
        let asked = try shared.ask(by: client)
        shared.say(.unavailable, to: asked.ticket)
        let answer = try shared.answer(to: client)
        #expect(answer.status == 503 && answer.fields["retry-after"] == ["1"])
        #expect(answer.fields["www-authenticate"].isEmpty && answer.fields["set-cookie"].isEmpty)
        try client.send(shared.request())
        #expect(try shared.answer(to: client).status == 401)
        #expect(shared.store.asked.count == 1 && shared.upstream.requests.isEmpty && shared.isAtRest)
    }

    @Test(.refuses("SH-66")) func `is answered 503 where neither the store nor its link ever answers`() throws {
        let shared = try SharedProofs()
        let client = try shared.connect()
        let asked = try shared.ask(by: client)
        let exchange = try #require(shared.waiting)
        #expect(exchange.pointee.client.pointee.timeout.deadline != 0)
        shared.store.open = []
        shared.worker.waitTimedOut(exchange)
        #expect(try shared.answer(to: client).status == 503)
        shared.say(.first, to: asked.ticket)
        #expect(shared.upstream.requests.isEmpty && shared.isAtRest)
    }

    @Test(.holds("SH-56")) func `is not reached by an answer that comes twice, or when it is gone`() throws {
        let shared = try SharedProofs()
        let gone = try shared.connect()
        let first = try shared.ask(by: gone)
        let leaving = try #require(shared.waiting)
        shared.store.open = []
        shared.worker.closeClient(leaving.pointee.client)
        #expect(shared.isAtRest)
        let line = String(decoding: shared.worker.pointee.journal.log?.pointee.line.bytes ?? [], as: UTF8.self)
        #expect(line.contains("\"ended\":\"client_left\"") && line.contains("\"store_us\":"), "\(line)")
        // Another request has the exchange's place and the number's.
        let client = try shared.connect()
        let second = try shared.ask("proof-2", by: client)
        #expect(shared.waiting == leaving && second.ticket & 0xFFFF_FFFF == first.ticket & 0xFFFF_FFFF)
        shared.say(.first, to: first.ticket)
        #expect(shared.waiting != nil && shared.upstream.requests.isEmpty)
        shared.say(.used, to: second.ticket)
        shared.say(.first, to: second.ticket)
        #expect(try shared.answer(to: client).status == 401)
        shared.say(.first, to: 0)
        shared.say(.first, to: .max)
        #expect(shared.upstream.requests.isEmpty && shared.isAtRest)
    }

    // MARK: where the store cannot be asked

    @Test(
        .refuses("SH-74"), .holds("SH-61"),
        arguments: [(ProofQuestion.down, "store_unavailable"), (.busy, "store_busy"), (.forgotten, "store_forgot")])
    func `is answered 503 at once where the store cannot be asked`(question: ProofQuestion, word: String) throws {
        let shared = try SharedProofs()
        shared.store.question = question
        let client = try shared.connect()
        _ = try shared.ask(by: client)
        #expect(shared.isAtRest)
        let answer = try shared.answer(to: client)
        #expect(answer.status == 503 && answer.fields["retry-after"] == ["1"] && shared.upstream.requests.isEmpty)
        let line = String(decoding: shared.worker.pointee.journal.log?.pointee.line.bytes ?? [], as: UTF8.self)
        #expect(line.contains("\"cause\":\"\(word)\"") && !line.contains("store_us"), "\(line)")
        // It was answered, and the connection goes on.
        shared.store.question = .asked
        let next = try shared.ask("proof-2", by: client)
        shared.say(.first, to: next.ticket)
        #expect(try shared.answer(to: client).status == 200)
    }

    @Test(.refuses("SH-74")) func `is answered 503 where nobody is there to ask the store`() throws {
        let shared = try SharedProofs()
        shared.worker.pointee.questions.proofs = nil
        let client = try shared.connect()
        try client.send(shared.request())
        #expect(try shared.answer(to: client).status == 503)
    }

    @Test(.holds("SH-59")) func `is let through once by this process where the operator wants that while it is down`()
        throws
    {
        let shared = try SharedProofs(.whileReachable)
        shared.store.question = .down
        let client = try shared.connect()
        _ = try shared.ask(by: client)
        #expect(try shared.answer(to: client).status == 200)
        try client.send(shared.request())
        #expect(try shared.answer(to: client).status == 401)
        #expect(shared.upstream.requests.count == 1)
    }

    // MARK: places

    @Test(.holds("SH-66"), .refuses("SH-66"))
    func `takes no place of others, and has used nothing up where there is none for it`() throws {
        let shared = try SharedProofs { $0.limits.parkedRequests = 2 }
        let clients = try (0..<3).map { _ in try shared.connect() }
        // Whoever waits for something else leaves its places alone.
        shared.worker.pointee.waiting.countOfOthers = 2
        let first = try shared.ask("1", by: clients[0])
        shared.worker.pointee.waiting.countOfOthers = 0
        // One client has half of the places.
        try clients[1].send(shared.request("2"))
        #expect(try shared.answer(to: clients[1]).status == 429)
        shared.worker.pointee.waiting.countOfProofs = 2
        try clients[2].send(shared.request("3"))
        let full = try shared.answer(to: clients[2])
        shared.worker.pointee.waiting.countOfProofs = 1
        #expect([429, 503].contains(full.status))
        #expect(shared.store.asked.count == 1)
        shared.say(.first, to: first.ticket)
        #expect(try shared.answer(to: clients[0]).status == 200)
        for (index, id) in [(1, "2"), (2, "3")] {
            let asked = try shared.ask(id, by: clients[index])
            shared.say(.first, to: asked.ticket)
            #expect(try shared.answer(to: clients[index]).status == 200, "its proof was not used up")
        }
    }

    @Test(.refuses("SH-66")) func `is refused by a word of its own where all places are taken`() throws {
        let shared = try SharedProofs { $0.limits.parkedRequests = 1 }
        let exchange = shared.worker.takeExchange()
        exchange.pointee.address = PeerAddress(octets: (9, 0), isIPv6: false)
        #expect(shared.worker.judgeWaiting(exchange, .proof) == nil)
        shared.worker.pointee.waiting.countOfProofs = 1
        #expect(shared.worker.judgeWaiting(exchange, .proof)?.cause == .storeBusy)
        #expect(shared.worker.judgeWaiting(exchange, .keys(issuer: 0)) == nil)
        shared.worker.pointee.waiting.countOfProofs = 0
        shared.worker.pointee.waiting.countOfOthers = 1
        #expect(shared.worker.judgeWaiting(exchange, .proof) == nil)
        #expect(shared.worker.judgeWaiting(exchange, .keys(issuer: 0))?.cause == .keyWaitersTooMany)
        shared.worker.pointee.waiting.countOfOthers = 0
    }

    // MARK: a reload

    @Test(.holds("SH-56"), .holds("OPS-07"))
    func `is judged by the configuration of its answer, and asked about once`() throws {
        let shared = try SharedProofs()
        let client = try shared.connect()
        let asked = try shared.ask(by: client)
        let exchange = try #require(shared.waiting)
        try shared.reload { $0.timeouts.drain += .seconds(1) }
        #expect(exchange.pointee.phase == .parked && shared.store.asked.count == 1)
        shared.say(.first, to: asked.ticket)
        #expect(exchange.pointee.generation == 2)
        #expect(try shared.answer(to: client).status == 200)
        #expect(shared.store.asked.count == 1 && shared.upstream.requests.count == 1 && shared.isAtRest)
        // Its proof was used up, by whichever configuration.
        try client.send(shared.request())
        #expect(try shared.answer(to: client).status == 401)
    }

    @Test(.refuses("SH-56"), .refuses("OPS-07"), arguments: ["invalid_token", "invalid_dpop_proof"])
    func `is refused by a configuration that came while it waited, by its rules for proofs too`(word: String) throws {
        let shared = try SharedProofs()
        let client = try shared.connect()
        let asked = try shared.ask(by: client)
        try shared.reload { settings in
            guard case .token(var token) = settings.routes[0].access else { return }
            if word == "invalid_token" {
                token.audiences = ["https://other.example/"]
            } else {
                token.dpop.algorithms = [.edDSA]
            }
            settings.routes[0].access = .token(token)
        }
        shared.say(.first, to: asked.ticket)
        let answer = try shared.answer(to: client)
        #expect(answer.status == 401 && shared.upstream.requests.isEmpty)
        #expect(answer.fields["www-authenticate"].contains { $0.contains(word) })
    }

    // MARK: what is told of it

    @Test(
        .holds("SH-88"),
        arguments: [
            (ProofAnswer.first, "the store says that it is the first", Explanation.State.passed),
            (.used, "the store has it already", .failed), (.unavailable, "no answer that counts", .failed),
        ])
    func `is remembered with what the store said`(answer: ProofAnswer, words: String, state: Explanation.State) throws {
        let shared = try SharedProofs(explains: true)
        let client = try shared.connect()
        let asked = try shared.ask(by: client)
        let id = try #require(shared.waiting).pointee.id
        func line() throws -> Explanation.Line {
            let decision = try #require(shared.worker.pointee.journal.decisions?.find(id))
            let explanation = Explanation(
                decision.evidence, decision.verdict, settings: shared.gateway.settings, now: decision.time)
            return try #require(explanation.lines.first { $0.check == .sharedReplay })
        }
        #expect(try line().state == .undecided)
        shared.say(answer, to: asked.ticket)
        _ = try shared.answer(to: client)
        let told = try line()
        let name = asked.digest.base64URL.prefix(21)
        #expect(told.seen.hasPrefix(words) && told.seen.contains(":p:\(name)"), "\(told.seen)")
        #expect(told.state == state)
    }
}

@Suite struct `the numbers of questions about proofs` {
    @Test(.holds("SH-56")) func `lead to one exchange each, and nowhere once they were given back`() throws {
        let idle = try IdleWorker()
        defer { withExtendedLifetime(idle) {} }
        let exchanges = (0..<3).map { _ in idle.worker.takeExchange() }
        var tickets = ProofTickets()
        let first = exchanges.map { tickets.take($0) }
        #expect(Set(first).count == 3 && !first.contains(0))
        #expect(first.map { tickets[$0] } == exchanges)
        tickets.giveBack(first[1])
        tickets.giveBack(first[1])
        #expect(tickets[first[1]] == nil)
        let again = tickets.take(exchanges[2])
        #expect(again != first[1] && tickets[again] == exchanges[2] && tickets[first[1]] == nil)
        #expect(tickets[0] == nil && tickets[.max] == nil && tickets[7] == nil)
        for exchange in exchanges { idle.worker.giveBack(exchange) }
        // Others ask the same store, with numbers from there on.
        #expect(UInt64(ProofTickets.lastTurn) << 32 | 0xFFFF_FFFF < WorkerStore.firstSessionTicket)
        #expect(ProofTickets.turn(after: ProofTickets.lastTurn) == 1 && ProofTickets.turn(after: 1) == 2)
    }
}
