import Bytes

/// The bytes of commands, written straight to where they are sent from; what `Command` is made of.
///
/// For arguments that must leave no copy behind, as passwords. Whoever begins a command appends as many arguments as it has.
public enum CommandBytes {
    /// Begins a command of so many arguments, its name among them.
    public static func begin(_ count: Int, in output: inout [UInt8]) {
        output.append(UInt8(ascii: "*"))
        Decimal.append(count, to: &output)
        endLine(&output)
    }

    /// Adds an argument of any bytes.
    public static func append(_ argument: Span<UInt8>, to output: inout [UInt8]) {
        beginArgument(argument.count, in: &output)
        output.append(copying: argument)
        endLine(&output)
    }

    /// Adds a word of the protocol.
    static func append(_ word: String, to output: inout [UInt8]) {
        append(word.utf8Span.span, to: &output)
    }

    /// Adds a number, in decimal.
    static func append(_ number: Int, to output: inout [UInt8]) {
        beginArgument(Decimal.count(of: number), in: &output)
        Decimal.append(number, to: &output)
        endLine(&output)
    }

    private static func beginArgument(_ length: Int, in output: inout [UInt8]) {
        output.append(UInt8(ascii: "$"))
        Decimal.append(length, to: &output)
        endLine(&output)
    }

    private static func endLine(_ output: inout [UInt8]) {
        output.append(0x0D)
        output.append(0x0A)
    }
}
