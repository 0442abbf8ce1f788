import HTTPMessage
import Issuers
import OAuth
import TestTraits
import Testing

@Suite struct `bounds of an introspection answer` {
    @Test(.refuses("INT-05")) func `are not those of field lines, which nobody could raise`() throws {
        let services = try Services(IntrospectionSettings(client: 0, answerBytes: 5000))
        services.fetcher.answer(Services.introspection, with: .failure(.fieldsTooLarge))
        services.ask()
        services.drain()
        #expect(services.takeAnswers().map(\.cause) == [.request(.fetch(.fieldsTooLarge))])
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
        let services = try Services()
        services.answer("{\"active\":true,\"x\":\(claim)}")
        services.ask()
        services.drain()
        #expect(services.takeAnswers().map(\.cause) == [.answerTooComplex(expected: expected)])
    }
}
