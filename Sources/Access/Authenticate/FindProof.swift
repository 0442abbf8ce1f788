import Bytes
package import HTTPMessage

extension HeadView {
    /// The one proof of a request, and where it is (DPOP-01).
    package func proof() throws(Refused) -> ByteRange {
        var found = -1
        for index in 0..<fieldCount where id(at: index) == .dpop {
            guard found < 0 else { throw Refused(.proofRepeated, expected: "one DPoP field", found: "more") }
            found = index
        }
        guard found >= 0 else { throw Refused(.proofMissing, expected: "one DPoP field", found: "none") }
        let value = value(at: found)
        guard !value.isEmpty else {
            throw Refused(.proofMissing, expected: "one DPoP field with a proof", found: "an empty one")
        }
        // No JWT has a comma: two proofs in one line are two proofs (RFC 9110 §5.3).
        guard value.firstIndex(of: UInt8(ascii: ","), from: 0, to: value.count) == value.count else {
            throw Refused(.proofRepeated, expected: "one proof", found: "a list")
        }
        return valueRange(at: found)
    }
}
