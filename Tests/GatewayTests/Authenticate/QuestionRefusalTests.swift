import Access
import Issuers
import TestTraits
import Testing

@testable import Gateway

@Suite struct `a question that the gateway could not ask` {
    @Test(.refuses("OPS-05")) func `blames the client, and not the server, for a client that has too many waiting`()
        throws
    {
        let idle = try IdleWorker(credential: .exchange(ExchangeSettings(client: 0, audience: ["tools"])))
        let worker = idle.worker
        let own = worker.refusalOfExchange(.tooManyOfClient)
        #expect(own.cause == .clientWaitersTooMany)
        #expect(own.detail.expected.hasPrefix("512 questions about tokens of one client waiting"))
        let full = worker.refusalOfExchange(.crowded)
        #expect(full.cause == .exchangeUnavailable && full.detail.found == "too_many_lookups")
        // The same for questions about tokens.
        func cause(_ reason: LookupRefusal) -> Refusal {
            worker.refusal(
                in: IntrospectionAnswer(
                    digest: TokenRecords.digest(1), issuer: 0, workers: [0], result: .unavailable(reason))
            ).cause
        }
        #expect(cause(.tooManyOfClient) == .clientWaitersTooMany)
        #expect(cause(.crowded) == .introspectionUnavailable)
    }
}
