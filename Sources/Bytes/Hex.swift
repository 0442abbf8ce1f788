/// Lower-case hexadecimal.
public enum Hex {
    /// Two digits for every byte, in order.
    public static func encode(_ bytes: Span<UInt8>) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count &* 2)
        for index in bytes.indices {
            output.append(digit(bytes[index] &>> 4))
            output.append(digit(bytes[index] & 15))
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? value &+ 0x30 : value &+ 0x57
    }
}
