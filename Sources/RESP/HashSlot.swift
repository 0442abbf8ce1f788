import Bytes

/// Which of a cluster's 16,384 slots a key is in (Redis Cluster specification, "Key distribution model").
public enum HashSlot {
    /// How many there are.
    public static let count = 16_384

    /// The slot of a key: of what stands between its first `{` and the next `}`, where that is anything; of all otherwise.
    public static func of(_ key: Span<UInt8>) -> Int {
        let opening = key.firstIndex(of: UInt8(ascii: "{"), from: 0, to: key.count)
        if opening < key.count {
            let closing = key.firstIndex(of: UInt8(ascii: "}"), from: opening + 1, to: key.count)
            if closing < key.count, closing > opening + 1 {
                return Int(checksum(key.extracting((opening + 1)..<closing))) % count
            }
        }
        return Int(checksum(key)) % count
    }

    /// CRC-16 with the polynomial 0x1021, beginning with zero, as the specification has it: `123456789` is 0x31C3.
    static func checksum(_ bytes: Span<UInt8>) -> UInt16 {
        var value: UInt16 = 0
        for index in bytes.indices {
            // Eight steps of the polynomial's division at once; a table would be looked up through a lazy global.
            value = (value &>> 8) | (value &<< 8)
            value ^= UInt16(bytes[index])
            value ^= (value & 0xFF) &>> 4
            value ^= value &<< 12
            value ^= (value & 0xFF) &<< 5
        }
        return value
    }
}
