@testable import Access
import Crypto
import Issuers
import JSON
import OAuth
import Sessions
import Synchronization
import TestTraits
import Testing

@testable import Gateway
@testable import Login

@Suite struct `what routes see of a session` {
    private func session(claims: String, scopes: [String] = ["openid"], proofKey: Secret? = nil) -> Session {
        var session = Session(
            id: [UInt8](repeating: 1, count: 16), client: "shop", issuer: "https://issuer.example/", subject: "alice",
            claims: Array(claims.utf8), scopes: scopes, createdAt: 0, endsAt: 100)
        session.proofKey = proofKey
        return session
    }

    private func value(_ claims: String, scopes: [String] = ["openid"]) -> JSONValue {
        SessionClaims.value(of: session(claims: claims, scopes: scopes), clientID: "shop-web")
    }

    @Test(.holds("CF-32")) func `is the user's claims, with the scopes that were granted and the client's name`() {
        let found = value(#"{"sub":"alice","groups":["a","b"],"deep":{"x":1}}"#, scopes: ["openid", "orders"])
        #expect(found["sub"]?.string == "alice")
        #expect(found["groups"]?.elements.compactMap(\.string) == ["a", "b"])
        #expect(found["deep"]?["x"] != nil)
        #expect(found["scope"]?.string == "openid orders")
        #expect(found["client_id"]?.string == "shop-web")
    }

    @Test(.refuses("CF-32")) func `has no scope that only an ID token speaks of`() {
        let found = value(#"{"sub":"alice","scope":"admin","client_id":"other"}"#)
        #expect(found["scope"]?.string == "openid")
        #expect(found["client_id"]?.string == "shop-web")
        #expect(found.members.count { $0.name == "scope" } == 1)
    }

    @Test(.refuses("CF-32"), arguments: ["", "[]", "{", "null", "\"x\"", #"{"a":1,"a":2}"#])
    func `is no claims at all where there are none that can be read`(claims: String) {
        let found = value(claims, scopes: [])
        #expect(found.members.map(\.name) == ["scope", "client_id"])
        #expect(found["scope"]?.string == "")
    }

    @Test(.holds("CF-32")) func `is thousands of groups, and as many claims as an answer may have`() {
        let groups = (0..<5000).map { "\"g\($0)\"" }.joined(separator: ",")
        #expect(value("{\"groups\":[\(groups)]}")["groups"]?.elements.count == 5000)
        let members = (0..<256).map { "\"m\($0)\":1" }.joined(separator: ",")
        #expect(value("{\(members)}").members.count == 258)
    }

    @Test(.holds("DPOP-45")) func `has proofs where its tokens are bound, with the one key it has`() throws {
        let scalar = Secret([UInt8](repeating: 3, count: 32))
        let maker = try #require(ProofMaker(session(claims: "{}", proofKey: scalar)))
        #expect(maker.thumbprint == ProofMaker(session(claims: "{}", proofKey: scalar))?.thumbprint)
        let other = ProofMaker(session(claims: "{}", proofKey: Secret([UInt8](repeating: 4, count: 32))))
        #expect(maker.thumbprint != other?.thumbprint)
        #expect(ProofMaker(session(claims: "{}")) == nil)
        #expect(ProofMaker(session(claims: "{}", proofKey: Secret([1, 2, 3]))) == nil)
    }

    @Test(.holds("RF-06")) func `is waited for longer than its refresh: the answer is what becomes of it`() {
        #expect(Questions.refreshTimeout > RefreshService.patienceMilliseconds)
    }
}

@Suite struct `those who wait for an issuer's keys` {
    /// Waits for both to have asked, without a clock.
    private final class Asked: Sendable {
        private let state = Mutex((count: 0, goal: 0, continuation: CheckedContinuation<Void, Never>?.none))

        func one() {
            state.withLock { state in
                state.count += 1
                if state.count == state.goal { state.continuation?.resume() }
            }
        }

        func wait(for count: Int) async {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    state.goal = count
                    if state.count >= count { continuation.resume() } else { state.continuation = continuation }
                }
            }
        }

        var count: Int { state.withLock(\.count) }
    }

    @Test(.holds("OIDC-17")) func `go on together when that issuer was asked, and not before`() async {
        let waiters = RefreshWaiters(issuers: 2)
        let asked = Asked()
        let ended = Asked()
        let tasks = (0..<3).map { _ in
            Task {
                await waiters.wait(for: 0, as: .answer) { asked.one() }
                ended.one()
            }
        }
        await asked.wait(for: 3)
        waiters.end(1)
        #expect(ended.count == 0)
        waiters.end(0)
        for task in tasks { await task.value }
        #expect(ended.count == 3)
    }

    @Test(.holds("OIDC-17")) func `are answered though the issuer answers before it was asked to the end`() async {
        let waiters = RefreshWaiters(issuers: 1)
        await waiters.wait(for: 0, as: .answer) { waiters.end(0) }
        // Nobody waits any more: an end that nobody waits for is none.
        waiters.end(0)
        await waiters.wait(for: 0, as: .answer) { waiters.end(0) }
    }
}
