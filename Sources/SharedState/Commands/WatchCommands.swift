import Bytes

/// The time of a store's clock.
struct StoreTime: Sendable, Equatable {
    /// Milliseconds since 1970.
    let milliseconds: Int64

    var seconds: Int64 { milliseconds / 1000 }
}

/// Reads the store's clock.
struct ReadTime: StoreCommand {
    /// Says which server is asked.
    let key: StoreName
    let changesNothing = true

    /// The last second of the year 9999: what is later is no time.
    private static let last: Int64 = 253_402_300_799

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] { arguments }

    var arguments: [[UInt8]] { [.word("TIME")] }

    func outcome(of reply: StoreReply) throws(StoreRefusal) -> StoreTime {
        guard case .array(let parts) = reply else { throw StoreRefusal(reply) }
        guard parts.count == 2, let seconds = parts[0].number, (0...ReadTime.last).contains(seconds),
            let microseconds = parts[1].number, (0..<1_000_000).contains(microseconds)
        else { throw .unexpected }
        return StoreTime(milliseconds: seconds * 1000 + microseconds / 1000)
    }
}

/// The word by which a store that forgot everything is noticed: whoever makes it says when.
///
///     22 characters of base64url, which nobody can guess ‖ "." ‖ seconds since 1970 by the store's clock
///
/// The time is for a process that starts: it cannot know another word from before, and a store that forgot a moment ago
/// looks to it like any other.
struct StoreEpoch: Sendable, Equatable {
    let bytes: [UInt8]

    private static let wordLength = 22

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// A new one; `word` are sixteen random bytes.
    init(word: [UInt8], at time: StoreTime) {
        var bytes: [UInt8] = []
        Base64URL.append(word.span, to: &bytes)
        self.bytes = bytes + Array(".\(time.seconds)".utf8)
    }

    /// When it was made; nil for what no gateway wrote.
    var madeAt: Int64? {
        guard bytes.count > StoreEpoch.wordLength, bytes[StoreEpoch.wordLength] == UInt8(ascii: "."),
            Base64URL.decode(bytes.span.extracting(0..<StoreEpoch.wordLength)) != nil,
            let seconds = StoreNumber.parse(Array(bytes[(StoreEpoch.wordLength + 1)...])), seconds >= 0
        else { return nil }
        return seconds
    }
}

/// Reads the epoch; nil where there is none.
struct ReadEpoch: StoreCommand {
    let key: StoreName
    let changesNothing = true

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] { arguments }

    var arguments: [[UInt8]] { [.word("GET"), key.bytes] }

    func outcome(of reply: StoreReply) throws(StoreRefusal) -> StoreEpoch? {
        switch reply {
        case .null: nil
        case .bytes(let bytes): StoreEpoch(bytes: bytes)
        default: throw StoreRefusal(reply)
        }
    }
}

/// Makes the epoch, unless somebody else was quicker.
struct MakeEpoch: StoreCommand {
    let key: StoreName
    let epoch: StoreEpoch

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] { arguments }

    var arguments: [[UInt8]] { [.word("SET"), key.bytes, epoch.bytes, .word("NX"), .word("GET")] }

    /// The epoch that holds now.
    func outcome(of reply: StoreReply) throws(StoreRefusal) -> StoreEpoch {
        switch reply {
        case .null: epoch
        case .bytes(let bytes): StoreEpoch(bytes: bytes)
        default: throw StoreRefusal(reply)
        }
    }
}

/// Reads what a server says of itself; whether a gateway may, is its operator's choice (`+info`).
struct ReadInformation: StoreCommand {
    /// Says which server is asked.
    let key: StoreName
    let changesNothing = true

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] { arguments }

    var arguments: [[UInt8]] { StoreInformation.question }

    func outcome(of reply: StoreReply) throws(StoreRefusal) -> StoreInformation {
        guard case .bytes(let text) = reply else { throw StoreRefusal(reply) }
        return StoreInformation(text)
    }
}
