/// What the store answered, as far as commands of this module have answers.
package enum StoreReply: Sendable, Equatable {
    case integer(Int64)
    /// The server's own word, such as `OK`: never what lies in the store.
    case status([UInt8])
    /// What lies in the store.
    case bytes([UInt8])
    case null
    case array([StoreReply])
    /// A refusal of the server's, in its words.
    case error([UInt8])

    /// The number that a reply is, or says in digits.
    var number: Int64? {
        switch self {
        case .integer(let number): number
        case .bytes(let bytes): StoreNumber.parse(bytes)
        case .status, .null, .array, .error: nil
        }
    }

    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    var array: [StoreReply]? { if case .array(let replies) = self { replies } else { nil } }
}

/// Why a command has no outcome: the store is then neither asked nor answered for, and nothing follows from it.
package enum StoreRefusal: Error, Sendable, Equatable {
    /// There is no connection to the server that would have to say it; the command was not executed.
    case unavailable
    /// Too much is waiting for that server already; the command was not executed (SH-16).
    case busy
    /// No answer came in time: the command may have been executed, now or later (SH-17).
    case unknown
    /// The server refused; the first word of what it said, such as `OOM`, and nothing more.
    case refused(String)
    /// An answer that this command does not have.
    case unexpected
}

extension StoreRefusal {
    /// The refusal that an answer is which fits no outcome.
    init(_ reply: StoreReply) {
        guard case .error(let words) = reply else {
            self = .unexpected
            return
        }
        // Words of a server may hold anything; a code of theirs is capitals.
        let code = words.prefix(16).prefix { (0x41...0x5A).contains($0) }
        self = .refused(String(decoding: code, as: UTF8.self))
    }
}

/// Whole numbers as commands and values have them.
enum StoreNumber {
    static func text(_ number: some BinaryInteger) -> [UInt8] { Array("\(number)".utf8) }

    /// The number of a text in one spelling: no sign before a positive one, no zeros in front.
    static func parse(_ text: [UInt8]) -> Int64? {
        guard text.count <= 20, let number = Int64(String(decoding: text, as: UTF8.self)) else { return nil }
        return self.text(number) == text ? number : nil
    }
}
