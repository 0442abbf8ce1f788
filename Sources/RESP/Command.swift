/// A command to a server: counted byte strings, each sent as it is (SH-48).
///
/// There is no function that takes a format or a line, so nothing in a key or a value can begin an argument or a command.
/// A value that is used again (`begin`) allocates nothing once it has been as large. It prints its name and no argument.
public struct Command: Sendable, CustomStringConvertible, CustomReflectable {
    /// How many arguments it has, its name among them.
    public private(set) var count = 0
    /// Its name: the operator is told it when a server refuses the command.
    public private(set) var name: String
    /// The kinds of replies that it may have.
    public var replies: ReplyKinds
    private var body: [UInt8] = []

    /// A command without arguments so far.
    public init(_ name: String) {
        self.name = name
        replies = .of(name)
        append(name)
    }

    /// Begins another command in the memory of this one.
    public mutating func begin(_ name: String) {
        body.removeAll(keepingCapacity: true)
        count = 0
        self.name = name
        replies = .of(name)
        append(name)
    }

    /// Becomes the same command as another, in the memory of this one.
    public mutating func become(_ other: borrowing Command) {
        body.removeAll(keepingCapacity: true)
        body.append(contentsOf: other.body)
        count = other.count
        name = other.name
        replies = other.replies
    }

    /// Gives memory back that a large command has left behind.
    public mutating func shrink(to capacity: Int) {
        if body.capacity > capacity { body = [] }
    }

    /// Adds an argument of any bytes.
    public mutating func append(_ argument: Span<UInt8>) {
        count += 1
        CommandBytes.append(argument, to: &body)
    }

    /// Adds a word of the protocol.
    public mutating func append(_ word: String) {
        count += 1
        CommandBytes.append(word, to: &body)
    }

    /// Adds a number, in decimal.
    public mutating func append(_ number: Int) {
        count += 1
        CommandBytes.append(number, to: &body)
    }

    /// Bytes that it takes on the connection.
    public var byteCount: Int { 3 + Decimal.count(of: count) + body.count }

    /// Writes it behind what `output` holds.
    public func write(to output: inout [UInt8]) {
        CommandBytes.begin(count, in: &output)
        output.append(contentsOf: body)
    }

    /// The name and how many arguments it has: never an argument, which may be a password (SH-52).
    public var description: String { "\(name) with \(count - 1) arguments" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: nil) }
}

/// Numbers in decimal, written without a string between.
package enum Decimal {
    /// How many bytes a number takes.
    static func count(of number: Int) -> Int {
        var (count, rest) = (number < 0 ? 2 : 1, number.magnitude / 10)
        while rest > 0 {
            count += 1
            rest /= 10
        }
        return count
    }

    /// Writes a number behind what `output` holds.
    package static func append(_ number: Int, to output: inout [UInt8]) {
        // Most are lengths of one digit, or two: no divisions by what is computed first.
        if 0..<10 ~= number { return output.append(UInt8(truncatingIfNeeded: number) + 0x30) }
        if 10..<100 ~= number {
            output.append(UInt8(truncatingIfNeeded: number / 10) + 0x30)
            return output.append(UInt8(truncatingIfNeeded: number % 10) + 0x30)
        }
        if number < 0 { output.append(UInt8(ascii: "-")) }
        var unit: UInt = 1
        while number.magnitude / unit >= 10 { unit *= 10 }
        while unit > 0 {
            output.append(UInt8(truncatingIfNeeded: number.magnitude / unit % 10) + 0x30)
            unit /= 10
        }
    }
}
