import HTTPMessage
import Issuers
import OAuth
import TestTraits
import Testing

@Suite struct `bounds of an introspection answer` {
    @Test(.refuses("INT-05")) func `are not those of field lines, which nobody could raise`() throws {
        let desks = try Desks(IntrospectionSettings(client: 0, answerBytes: 5000))
        desks.fetcher.answer(Desks.introspection, with: .failure(.fieldsTooLarge))
        desks.ask()
        desks.drain()
        #expect(desks.takeAnswers().map(\.cause) == [.request(.fetch(.fieldsTooLarge))])
    }

    @Test(
        .holds("INT-05"),
        arguments: [
            (
                "with at most 16 objects and arrays inside one another",
                String(repeating: "[", count: 20)
                    + String(repeating: "]", count: 20)
            ),
            (
                "with at most 256 members in an object",
                "{" + (0..<300).map { "\"m\($0)\":1" }.joined(separator: ",") + "}"
            ),
        ])
    func `are named where they are those of JSON, for the same answer comes the next time`(
        _ expected: String, _ claim: String
    ) throws {
        let desks = try Desks()
        desks.answer("{\"active\":true,\"x\":\(claim)}")
        desks.ask()
        desks.drain()
        #expect(desks.takeAnswers().map(\.cause) == [.answerTooComplex(expected: expected)])
    }
}
