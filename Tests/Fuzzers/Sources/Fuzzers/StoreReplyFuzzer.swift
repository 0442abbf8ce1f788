import RESP

/// The bytes that a server of Redis or Valkey sends on one connection.
enum StoreReplyFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        let whole = read([input])
        hold(read(input.map { [$0] }) == whole, "replies do not depend on bytes coming one by one")
        let cutsAll = input.count <= 256
        for count in input.indices where cutsAll || count % 61 == 0 || input[count] < 0x20 {
            hold(
                read([Array(input[..<count]), Array(input[count...])]) == whole,
                "replies do not depend on where bytes were cut")
        }
        hold(whole.replies == SecondReplyReader.replies(input), "what is read is what a second reader finds")
        for reply in whole.replies {
            let text = reply.dropFirst().prefix { $0 != 0x0D }
            if reply.first == UInt8(ascii: "-") { checkError(Array(text)) }
        }
        return whole.refusal == nil && !whole.replies.isEmpty ? .accepted : .refused
    }

    private struct Replies: Equatable {
        /// Each as it was sent.
        var replies: [[UInt8]] = []
        var refusal: ReplyRefusal?
    }

    /// What the pieces, one after the other, are to the reader.
    private static func read(_ pieces: [[UInt8]]) -> Replies {
        var reader = ReplyReader()
        var found = Replies()
        var rest: [UInt8] = []
        for piece in pieces {
            rest += piece
            do throws(ReplyRefusal) {
                while let count = try reader.advance(rest.span) {
                    hold(count > 0 && count <= rest.count && count <= 128 << 10, "a reply lies inside what arrived")
                    let reply = Array(rest[..<count])
                    hold(elements(reply), "what was found whole is read in place")
                    found.replies.append(reply)
                    rest = Array(rest[count...])
                }
            } catch {
                found.refusal = error
                return found
            }
        }
        return found
    }

    /// Whether a reply, and all that is in it, is read to its last byte.
    private static func elements(_ bytes: [UInt8]) -> Bool {
        guard let reply = Reply(bytes.span) else { return false }
        return isWhole(reply)
    }

    private static func isWhole(_ reply: borrowing Reply) -> Bool {
        guard reply.kind == .array else { return true }
        hold(reply.integer <= 1024, "an array has no more elements than it may")
        var elements = reply.elements
        var count = 0
        while let element = elements.next() {
            count += 1
            guard isWhole(element) else { return false }
        }
        return count == reply.integer
    }

    private static func checkError(_ text: [UInt8]) {
        let refusal = ServerRefusal(text.span)
        hold(refusal.isNotExecuted || !refusal.maySendAgain, "nothing is sent again that may have been executed")
        let shown = Array(ServerText.printable(text.span).utf8)
        hold(shown.count <= 80 && shown.allSatisfy { (0x20...0x7E).contains($0) }, "what is shown is a short line")
        guard let redirection = Redirection(text.span) else { return }
        hold((0..<HashSlot.count).contains(redirection.slot) && redirection.port > 0, "a redirection names a slot")
        hold(refusal.code == .moved || refusal.code == .ask, "nothing else redirects")
    }
}

/// A reader that has all bytes before it, and goes by recursion.
private enum SecondReplyReader {
    static func replies(_ input: [UInt8]) -> [[UInt8]] {
        var rest = input[...]
        var found: [[UInt8]] = []
        while let count = length(rest, depth: 0), count <= 128 << 10 {
            found.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return found
    }

    /// How many bytes the reply has that begins here; nil when it is none, or not whole.
    private static func length(_ bytes: ArraySlice<UInt8>, depth: Int) -> Int? {
        guard let type = bytes.first, let line = line(bytes.dropFirst()) else { return nil }
        let head = line.count + 3
        switch type {
        case UInt8(ascii: "+"), UInt8(ascii: "-"): return line.count < 4096 ? head : nil
        case UInt8(ascii: ":"): return number(line) == nil ? nil : head
        case UInt8(ascii: "$"):
            guard let count = number(line), count >= -1 else { return nil }
            if count < 0 { return head }
            guard count <= 128 << 10, bytes.count >= head + count + 2 else { return nil }
            return bytes.dropFirst(head + count).prefix(2).elementsEqual([0x0D, 0x0A]) ? head + count + 2 : nil
        case UInt8(ascii: "*"):
            guard let count = number(line), count >= -1, count <= 1024, depth <= 4 || count <= 0 else { return nil }
            var length = head
            for _ in 0..<max(0, count) {
                guard let element = self.length(bytes.dropFirst(length), depth: depth + 1) else { return nil }
                length += element
            }
            return length
        default: return nil
        }
    }

    private static func line(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        let line = bytes.prefix { $0 != 0x0D && $0 != 0x0A }
        return bytes.dropFirst(line.count).prefix(2).elementsEqual([0x0D, 0x0A]) ? Array(line) : nil
    }

    private static func number(_ line: [UInt8]) -> Int? {
        let text = String(decoding: line, as: UTF8.self)
        guard let number = Int(text), String(number) == text else { return nil }
        return number
    }
}
