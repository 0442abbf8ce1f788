import Access
import Login
import Rates
import TestTraits
import Testing
import Transport

@testable import Gateway

/// A worker at which requests to the paths of logins wait, though nobody is connected.
private final class Queue {
    let login: LoginWorker
    private var exchanges: [ExchangeRef] = []
    var worker: WorkerRef { login.worker }

    init() throws { login = try LoginWorker() }

    deinit {
        for exchange in exchanges {
            if exchange.pointee.phase == .parked { worker.unpark(exchange) }
            worker.dropLoginRequest(exchange)
            worker.giveBack(exchange)
        }
    }

    func network(_ number: Int) -> (UInt64, UInt64) { (7, UInt64(number)) }

    func waiting(_ number: Int) -> Int { worker.pointee.connections.networks.count(of: network(number), .queued) }

    /// Whether another request of that client waits from now on.
    @discardableResult
    func add(_ number: Int, _ endpoint: LoginRequest.Endpoint = .start(client: 0)) -> Bool {
        let kind = LoginKind(endpoint, hasQuery: true)
        guard worker.mayQueue(kind, network(number)) || worker.takeQueued(kind, network(number)) else { return false }
        let exchange = worker.takeExchange()
        let loginInFlight = LoginRequestInFlight.make(
            LoginRequestInFlight(
                request: LoginRequest(endpoint: endpoint, publicURL: ""), ticket: UInt64(exchanges.count),
                ask: { _, _ in }, clientName: "", kind: kind, network: network(number)))
        exchange.pointee.loginInFlight = loginInFlight
        worker.countQueued(loginInFlight, isQueued: true)
        worker.park(exchange, .loginPlace, worker.pointee.scratch.read)
        exchanges.append(exchange)
        return true
    }
}

@Suite struct `requests that wait for a place of a login` {
    @Test(.holds("OPS-05")) func `of somebody who has none there are let in by whoever has most`() throws {
        let queue = try Queue()
        // A dozen clients, each with half of what the others left, have every place.
        for number in 0..<16 { while queue.add(number) {} }
        #expect((0..<16).map(queue.waiting).reduce(0, +) == Questions.loginQueueLimit - Questions.loginReserve)
        #expect(queue.waiting(0) > 600 && queue.waiting(11) >= 1)
        let most = queue.waiting(0)
        for newcomer in 100..<140 {
            #expect(queue.worker.isNew(queue.network(newcomer)))
            #expect(queue.add(newcomer), "\(newcomer)")
            #expect(!queue.add(newcomer), "one place, and no more, is somebody else's to give")
        }
        #expect(queue.waiting(0) == most - 40)
        #expect((1..<12).allSatisfy { queue.waiting($0) >= 1 })
        #expect(queue.worker.pointee.questions.underWay.queued == Questions.loginQueueLimit - Questions.loginReserve)
    }

    @Test(.refuses("OPS-05")) func `of as many clients as there are places are nobody's to take`() throws {
        let queue = try Queue()
        let places = Questions.loginQueueLimit - Questions.loginReserve
        for number in 0..<places { #expect(queue.add(number)) }
        #expect(!queue.add(places))
    }

    @Test(.holds("OPS-05"), .refuses("OPS-05"))
    func `that begin a login take no place of a logout, and a logout takes one of them`() throws {
        let queue = try Queue()
        let logout = LoginRequest.Endpoint.logout(client: 0)
        for number in 0..<16 { while queue.add(number, logout) {} }
        #expect(queue.worker.pointee.questions.underWay.queued == Questions.loginQueueLimit)
        #expect(!queue.add(100))
        #expect(queue.add(101, logout))
        let other = try Queue()
        for number in 0..<16 { while other.add(number) {} }
        for number in 20..<40 { while other.add(number, logout) {} }
        let most = other.waiting(0)
        #expect(other.add(100, logout) && other.waiting(0) == most - 1)
    }

    @Test(.refuses("OPS-05")) func `of clients that nobody can tell apart let nobody in`() throws {
        let queue = try Queue()
        for number in 0..<16 { while queue.add(number) {} }
        #expect(!queue.worker.isNew(nil) && !queue.worker.takeQueued(.upkeep, nil))
    }
}

@Suite struct `the rate of logins of a client` {
    @Test(.holds("OPS-05")) func `is one for starts, silent ones among them, and another one for callbacks`() throws {
        let login = try LoginWorker()
        let worker = login.worker
        let network: (UInt64, UInt64) = (7, 1)
        let rate = TokenRate(perSecond: 1, burst: 2)
        func take(_ endpoint: LoginRequest.Endpoint) -> Bool {
            worker.pointee.connections.networks.take(network, endpoint.rated, at: 1_000_000, rate) == 0
        }
        #expect(take(.start(client: 0)) && take(.session(client: 0)))
        #expect(!take(.start(client: 0)) && !take(.session(client: 0)))
        #expect(take(.callback(client: 0)) && take(.callback(client: 1)))
        #expect(!take(.callback(client: 0)))
    }

    @Test(.holds("ECO-81"), .refuses("ECO-81"))
    func `is there where the operator says none, and takes nothing of another client's`() throws {
        let login = try LoginWorker()
        let worker = login.worker
        let rate = worker.pointee.policy.shares.loginRate
        func begun(_ client: UInt64, at second: UInt64) -> Int {
            (0..<5000).count { _ in
                worker.pointee.connections.networks.take((7, client), .logins, at: second * 1_000_000, rate) == 0
            }
        }
        #expect(begun(1, at: 1) == 2000)
        #expect(begun(1, at: 2) == 200)
        #expect(begun(2, at: 2) == 2000)
    }
}
