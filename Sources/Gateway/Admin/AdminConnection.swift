import EventLoop
import Glibc
import HTTP1
import HTTPMessage
import Refusals
import Transport

/// One admin client: one request, one answer, closed.
///
/// Lives on the control loop, where cost is no matter.
final class AdminConnection: @unchecked Sendable {
    private var stream: ByteStream
    private unowned let gateway: Gateway
    private let ended: (AdminConnection) -> Void
    private var watcher: Watcher?
    private var timer: LoopTimer?
    private var input: [UInt8] = []
    private var output: [UInt8] = []
    private var sent = 0
    private var parser = RequestHeadParser()
    private(set) var isClosed = false

    init(_ descriptor: Int32, _ gateway: Gateway, ended: @escaping (AdminConnection) -> Void) {
        stream = ByteStream(descriptor: descriptor)
        self.gateway = gateway
        self.ended = ended
    }

    deinit { stream.close() }

    func start() {
        let watcher = Watcher(loop: gateway.control, descriptor: stream.descriptor) { [unowned self] what in
            if what.contains(.write) { write() } else { read() }
        }
        self.watcher = watcher
        watcher.watch(for: .read)
        let timer = LoopTimer(loop: gateway.control) { [unowned self] in end() }
        self.timer = timer
        timer.arm(milliseconds: 10_000)
    }

    private func read() {
        var received = [UInt8](repeating: 0, count: 4096)
        let count = received.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { stream.read(into: $0, capacity: buffer.count) } ?? ByteStream.failed
        }
        if count == ByteStream.wantsRead { return }
        guard count > 0 else { return end() }
        input.append(contentsOf: received[..<count])
        var head = RequestHead()
        switch parser.parse(input.span, limits: HTTP1Limits(), into: &head) {
        case .incomplete: return
        case .refused(let cause): answer(AdminPage(status: cause.refusal.status, text: "malformed request\n"))
        case .complete:
            let authority = String(decoding: input[head.authority.range], as: UTF8.self)
            guard AdminHosts(gateway.generation.settings.admin.hosts).permit(authority) else {
                return answer(AdminPage(status: 421, text: "not a name of this listener: see admin.hosts\n"))
            }
            let path = String(decoding: input[head.path.range], as: UTF8.self)
            let page = AdminPage(path: path, method: head.methodID, accept: accept(head), gateway)
            gateway.auditLook(at: path, status: page.status, from: stream.descriptor)
            answer(page)
        }
    }

    /// What the client says that it reads; the lines of a list are one list (RFC 9110 §5.3).
    private func accept(_ head: borrowing RequestHead) -> [UInt8] {
        var accept: [UInt8] = []
        for index in 0..<head.fields.count where head.fields[index].id == .accept {
            if !accept.isEmpty { accept.append(UInt8(ascii: ",")) }
            accept += input[head.fields[index].value.range]
        }
        return accept
    }

    private func answer(_ page: AdminPage) {
        output = page.bytes
        watcher?.watch(for: .write)
        write()
    }

    private func write() {
        guard !isClosed else { return }
        while sent < output.count {
            let written = output.withUnsafeBufferPointer { buffer in
                buffer.baseAddress.map { stream.write($0 + sent, count: buffer.count - sent) } ?? ByteStream.failed
            }
            if written == ByteStream.wantsWrite { return }
            guard written > 0 else { break }
            sent += written
        }
        end()
    }

    /// Closes it, whatever it waits for.
    func end() {
        guard !isClosed else { return }
        isClosed = true
        watcher?.cancel()
        timer?.cancel()
        stream.close()
        ended(self)
    }
}
