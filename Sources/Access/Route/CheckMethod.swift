import Bytes
package import HTTPMessage

extension HeadView {
    /// Whether the request is `OPTIONS *`, which the gateway answers itself.
    ///
    /// Refuses CONNECT before any routing: never a tunnel, for it would let a client choose the destination (HTTP-17,
    /// HTTP-75).
    package func isForServer() throws(Refused) -> Bool {
        if methodID == .connect || targetForm == .authority {
            throw Refused(.connectRefused, expected: "a method other than CONNECT", found: "CONNECT")
        }
        return targetForm == .asterisk
    }

    /// The route's method allow-list; TRACE and TRACK are never let through (HTTP-18, HTTP-19).
    package func checkMethod(_ permitted: borrowing MethodSet) throws(Refused) {
        guard permitted.allows(methodID, named: method) else {
            throw Refused(
                .methodNotAllowed, expected: .text(permitted.allow),
                found: .text(String(copying: method.extracting(first: 32))))
        }
    }

    /// Whether this is an OPTIONS that must not travel further (RFC 9110 §7.6.2, HTTP-20).
    package var isLastHop: Bool { methodID == .options && maximumForwards == 0 }

    /// The value of a single well-formed Max-Forwards, or nil.
    package var maximumForwards: Int? {
        var found: Int?
        for index in 0..<fieldCount where id(at: index) == .maxForwards {
            let digits = value(at: index)
            guard found == nil, digits.count > 0, digits.count < 10 else { return nil }
            var number = 0
            for place in digits.indices {
                guard ASCII.isDigit(digits[place]) else { return nil }
                number = number * 10 + Int(digits[place] - 48)
            }
            found = number
        }
        return found
    }
}
