import EventLoop
import Glibc
import Transport

/// The listener for metrics and health, on the control loop: apart from the public ones, never a route (OPS-06).
final class AdminListener: @unchecked Sendable {
    private unowned let gateway: Gateway
    private let socket: OpenListener
    private var watcher: Watcher?
    private var pause: LoopTimer?
    /// The oldest first.
    private var connections: [AdminConnection] = []

    /// More than scrapers and probes need, few enough to be no burden.
    private static let connectionLimit = 64

    init(_ gateway: Gateway, at address: SocketAddressSettings) throws(GatewayFailure) {
        self.gateway = gateway
        socket = try OpenListener(at: address, mayShare: false, backlog: 64, isAdmin: true)
    }

    deinit { socket.abandon() }

    var localAddress: String { socket.address.description }

    func start() {
        let watcher = Watcher(loop: gateway.control, descriptor: socket.descriptor) { [unowned self] _ in accept() }
        self.watcher = watcher
        watcher.watch(for: .read)
        pause = LoopTimer(loop: gateway.control) { watcher.watch(for: .read) }
    }

    /// Tries again a little later: out of descriptors or memory, the backlog would wake the loop for ever.
    private func rest() {
        watcher?.cancel()
        pause?.arm(milliseconds: 100)
    }

    private func accept() {
        var peer = SocketAddress()
        while true {
            let accepted = Socket.accept(from: socket.descriptor, peer: &peer)
            guard accepted >= 0 else {
                if errno != EAGAIN, errno != EINTR, errno != ECONNABORTED { rest() }
                return
            }
            let isFull = connections.count >= AdminListener.connectionLimit
            // Whoever holds all places and asks nothing would have the next probe refused, and its engine end a gateway that
            // is well: what has waited longest gives way.
            if isFull { connections.first { !$0.isClosed }?.end() }
            let connection = AdminConnection(accepted, gateway) { [unowned self] connection in
                // Let go in the next turn: the connection is still on the stack.
                gateway.control.execute { [unowned self] in connections.removeAll { $0 === connection } }
            }
            connections.append(connection)
            connection.start()
            // The place is free in the next turn, and so is the next one.
            if isFull { return }
        }
    }
}
