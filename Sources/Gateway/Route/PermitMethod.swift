import Access
import Bytes
import HTTPMessage

extension WorkerRef {
    /// Whether the request is `OPTIONS *`, which the gateway answers itself; refuses CONNECT before any routing.
    func isForServer(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) throws(Refused) -> Bool {
        let head = pointee.head
        // Never a tunnel: a CONNECT would let a client choose the destination (HTTP-17, HTTP-75).
        if head.pointee.methodID == .connect || head.pointee.targetForm == .authority {
            throw refuse(.connectRefused, "a method other than CONNECT", "CONNECT")
        }
        return head.pointee.targetForm == .asterisk
    }

    /// The route's method allow-list; TRACE and TRACK are never let through (HTTP-18, HTTP-19).
    func permitMethod(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) throws(Refused) {
        let method = exchange.pointee.method
        let route = exchange.pointee.route.unsafelyUnwrapped
        let isKnown = route.pointee.methods >> UInt16(method.rawValue) & 1 == 1
        let range = pointee.head.pointee.method
        let name = UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
        exchange.pointee.methodRow = route.pointee.token.row(of: method, named: name)
        // A spelling like `get` is another method, which no list means.
        if isKnown, method != .other { return }
        if method == .other, isKnown, !isMisspelt(name) { return }
        if method == .other, route.pointee.methodNames.contains(named: name) { return }
        throw refuse(
            .methodNotAllowed, route.pointee.methodNames.allow, String(decoding: name.prefix(32), as: UTF8.self))
    }

    /// Whether the name is a known method but for its case: some upstream would read it as that one.
    private func isMisspelt(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        MethodSet.all.contains { known in
            ASCII.equalsIgnoringCase(name.span, known.name)
        }
    }

    /// Whether this is an OPTIONS that must not travel further (RFC 9110 §7.6.2, HTTP-20).
    func isLastHop(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) -> Bool {
        exchange.pointee.method == .options && maximumForwards(bytes) == 0
    }

    /// The value of a single well-formed Max-Forwards, or nil.
    func maximumForwards(_ bytes: UnsafeMutablePointer<UInt8>) -> Int? {
        let head = pointee.head
        var value: Int?
        for index in 0..<head.pointee.fields.count where head.pointee.fields[index].id == .maxForwards {
            let range = head.pointee.fields[index].value
            guard value == nil, range.count > 0, range.count < 10 else { return nil }
            var number = 0
            for offset in 0..<Int(range.count) {
                let byte = bytes[Int(range.start) + offset]
                guard ASCII.isDigit(byte) else { return nil }
                number = number * 10 + Int(byte - 48)
            }
            value = number
        }
        return value
    }
}
