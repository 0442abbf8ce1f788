@testable import Explain

/// A command that somebody pastes, to have its request explained.
enum CurlCommandFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        do throws(RequestDraft.Problem) {
            let (head, url) = try CurlCommand.head(input)
            let (again, _) = try CurlCommand.head(input)
            hold(head == again, "the same command is the same request")
            hold(head.count <= 3 * input.count + 256, "a request costs no more than its command")
            hold(head.suffix(4) == [0x0D, 0x0A, 0x0D, 0x0A], "a head has an end")
            var lines = 0
            for (index, byte) in head.enumerated() {
                if byte == 0x0A { hold(index > 0 && head[index - 1] == 0x0D, "no line ends by itself") }
                if byte == 0x0D { hold(index + 1 < head.count && head[index + 1] == 0x0A, "no line ends by half") }
                if byte == 0x0A { lines += 1 }
            }
            hold(
                head.firstRange(of: [0x0D, 0x0A, 0x0D, 0x0A])?.upperBound == head.count,
                "one head, and nothing behind it")
            hold(lines <= input.count + 8, "a field is one line")
            hold(!url.isEmpty, "a request has a URL")
            return .accepted
        } catch {
            hold((1...400).contains(error.text.utf8.count), "a refusal is a sentence")
            hold(error.text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "and stands in one line")
            return .refused
        }
    }
}
