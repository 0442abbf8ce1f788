import Crypto
import JOSE
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import OAuth

@Suite struct `the memory of clients' keys` {
    private let clients = (0..<6).map { _ in ProofMint(key: SigningKey(.p256)) }

    /// Whether this client's header was known; asserts that its proof is accepted.
    private func isKnown(_ client: ProofMint, _ keys: ProofKeys, header: [String: String?] = [:]) -> Bool {
        let hits = keys.hits
        #expect(Asked(thumbprint: client.thumbprint, keys: keys).refusal(client.proof(header: header)) == nil)
        return keys.hits > hits
    }

    @Test(.holds("DPOP-04")) func `a header is read once`() {
        let keys = ProofKeys(limit: 4)
        for client in clients[0..<4] { #expect(!isKnown(client, keys)) }
        for client in clients[0..<4] { #expect(isKnown(client, keys)) }
        #expect(keys.hits == 4 && keys.misses == 4 && keys.count == 4)
    }

    @Test(.holds("DPOP-05")) func `a busy key asks for its multiples where the memory has tables`() {
        let works = Mutex(0)
        let tables = PointTables(limit: 4) { _ in
            works.withLock { $0 += 1 }
            return true
        }
        let keys = ProofKeys(limit: 4, tables: tables)
        let asked = Asked(thumbprint: clients[0].thumbprint, keys: keys), proof = clients[0].proof()
        for _ in 0..<1999 { #expect(asked.refusal(proof) == nil) }
        #expect(works.withLock(\.self) == 0)
        #expect(asked.refusal(proof) == nil)
        #expect(works.withLock(\.self) == 1)
    }

    @Test(.refuses("DPOP-05")) func `nothing is remembered of a proof that was refused`() {
        let keys = ProofKeys(limit: 4)
        let client = clients[0]
        let other = SigningKey(.p256)
        let forged = TokenMint.sign(
            header: client.headerText(), claims: client.claimsText(), key: other, algorithm: .es256)
        let right = Asked(thumbprint: client.thumbprint, keys: keys)
        #expect(right.refusal(forged) == .signatureInvalid)
        #expect(right.refusal(client.proof(claims: ["ath": "\"x\""])) == .tokenHashMismatch)
        #expect(right.refusal(client.proof(claims: ["htm": "\"x\""])) == .methodMismatch)
        #expect(right.refusal(client.proof(claims: ["jti": nil])) == .claim(.missing("jti")))
        // A good proof, but of a key that no token is bound to: anybody can make these.
        #expect(Asked(keys: keys).refusal(client.proof()) == .keyMismatch)
        #expect(keys.count == 0 && keys.hits == 0)
        #expect(!isKnown(client, keys) && isKnown(client, keys))
        #expect(right.refusal(forged) == .signatureInvalid)
    }

    @Test func `a key has one place, in whatever header it comes`() {
        let keys = ProofKeys(limit: 2)
        #expect(!isKnown(clients[0], keys) && !isKnown(clients[1], keys))
        for round in 0..<20 {
            #expect(!isKnown(clients[0], keys, header: ["kid": "\"\(round)\""]))
            #expect(isKnown(clients[0], keys, header: ["kid": "\"\(round)\""]))
            #expect(keys.count == 2 && isKnown(clients[1], keys))
        }
        #expect(!isKnown(clients[0], keys))
    }

    @Test func `it is bounded, and keeps what is used`() {
        let keys = ProofKeys(limit: 3)
        for client in clients[0..<3] { #expect(!isKnown(client, keys)) }
        for client in clients[3...] {
            #expect(isKnown(clients[0], keys))
            #expect(!isKnown(client, keys))
            #expect(keys.count == 3)
        }
        #expect(isKnown(clients[0], keys) && isKnown(clients[5], keys))
        let none = ProofKeys(limit: 0)
        #expect(!isKnown(clients[0], none) && !isKnown(clients[0], none) && none.count == 0)
    }

    @Test func `it stays right over thousands of clients`() {
        let keys = ProofKeys(limit: 3)
        var state: UInt64 = 7
        for _ in 0..<600 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let client = clients[Int(state >> 33) % clients.count]
            let other = clients[Int(state >> 40) % clients.count]
            let asked = Asked(thumbprint: client.thumbprint, keys: keys)
            #expect(asked.refusal(client.proof()) == nil)
            let isSame = client.thumbprint == other.thumbprint
            #expect(asked.refusal(other.proof()) == (isSame ? nil : .keyMismatch))
            #expect(keys.count <= 3)
        }
        #expect(keys.hits > 100 && keys.misses > 100)
    }
}
