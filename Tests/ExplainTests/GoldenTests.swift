import Access
import Explain
import Foundation
import Gateway
import Issuers
import TestSupport
import TestTraits
import Testing

@testable import GatewayTests

/// Whole explanations, as an operator reads them: `PORTCULLIS_WRITE_GOLDEN=1 swift test --filter GoldenTests` writes
/// them anew, and the difference is then read before it is committed.
@Suite struct `an explanation` {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    @Test(arguments: Mistake.all)
    func `of a common mistake says what an operator can do about it`(mistake: Mistake) throws {
        var rig = ExplainRig()
        mistake.make(&rig)
        let explanation = try rig.explain()
        guard case .refused(let refusal, _, _, _) = explanation.verdict else {
            Issue.record("\(mistake.name) is not refused: \(explanation.text)")
            return
        }
        #expect(refusal == mistake.cause)
        #expect(explanation.exitStatus == 3)
        #expect(explanation.remedy?.steps.isEmpty == false)
        try Self.compare(explanation, with: mistake.name)
    }

    /// One judgement serves both versions: only what a message may look like differs.
    @Test(arguments: Mistake.all) func `of a request over HTTP/2 comes to the same`(mistake: Mistake) throws {
        var rig = ExplainRig()
        rig.isHTTP2 = true
        mistake.make(&rig)
        let explanation = try rig.explain()
        guard case .refused(let refusal, _, _, _) = explanation.verdict else {
            Issue.record("\(mistake.name) is not refused: \(explanation.text)")
            return
        }
        #expect(refusal == mistake.cause)
        #expect(explanation.text.contains(" over HTTP/2, from"))
    }

    @Test(arguments: Mistake.overHTTP2) func `of a mistake by HTTP/2 says what to do about it`(mistake: Mistake) throws
    {
        var rig = ExplainRig()
        mistake.make(&rig)
        let explanation = try rig.explain()
        guard case .refused(let refusal, _, _, _) = explanation.verdict else {
            Issue.record("\(mistake.name) is not refused: \(explanation.text)")
            return
        }
        #expect(refusal == mistake.cause, "\(explanation.text)")
        #expect(explanation.lines.contains { $0.state == .failed })
        #expect(explanation.remedy?.steps.isEmpty == false)
        #expect(!explanation.text.contains("CR LF"), "that is HTTP/1.1's")
    }

    @Test(.holds("H2-86")) func `of a good call says which method it is, and what scopes that needs`() throws {
        var rig = ExplainRig()
        rig.call("Get")
        let explanation = try rig.explain()
        #expect(explanation.exitStatus == 0)
        #expect(explanation.text.contains("\na call of gRPC: method Get of service shop.Orders\n\n"))
        #expect(explanation.lines.first { $0.check == .scope }?.wanted == "\"orders:read\" for /shop.Orders/Get")
        let json = String(decoding: explanation.json, as: UTF8.self)
        #expect(json.contains(#""protocol":"h2","call":{"service":"shop.Orders","method":"Get"}"#), "\(json)")
        rig.url = "https://shop.example.com/shop.Orders/"
        #expect(try rig.explain().text.contains("names no method, for it is not /SERVICE/METHOD\n"))
    }

    @Test(.refuses("H2-86")) func `of a refused call says what its client is told`() throws {
        var rig = ExplainRig()
        rig.call("Get")
        rig.scheme = nil
        func told() throws -> String? {
            let text = try rig.explain().text
            return text.split(separator: "\n").first { $0.hasPrefix("its client is told: ") }.map {
                String($0.dropFirst(20))
            }
        }
        #expect(try told()?.hasPrefix("grpc-status 16 UNAUTHENTICATED, \"") == true)
        #expect(try told()?.hasSuffix("\", under HTTP status 200") == true)
        let json = String(decoding: try rig.explain().json, as: UTF8.self)
        #expect(json.contains(#""grpc_status":16,"grpc_status_name":"UNAUTHENTICATED","grpc_message":""#), "\(json)")
        rig.url = "https://shop.internal/shop.Orders/Get"
        #expect(try told() == "HTTP status 421 alone, for it has to do something about its connection")
        rig.fields = []
        #expect(try told() == nil, "no call of gRPC")
    }

    @Test func `of a WebSocket over HTTP/2 says what its opening is`() throws {
        var rig = ExplainRig()
        rig.isHTTP2 = true
        rig.settings.routes[0].webSocket = true
        rig.offerWebSocket()
        let explanation = try rig.explain()
        #expect(explanation.exitStatus == 0, "\(explanation.text)")
        let line = try #require(explanation.lines.first { $0.check == .webSocket })
        #expect(line.state == .passed && line.seen == "an extended CONNECT" && line.section == "RFC 8441 §5")
    }

    @Test(arguments: [
        "X-Long: " + String(repeating: "a", count: 70_000), "X-Twice: " + String(repeating: "b", count: 40_000),
    ]) func `of a head that is too large over HTTP/2 says so`(field: String) throws {
        var rig = ExplainRig()
        rig.isHTTP2 = true
        rig.fields = [field, field]
        guard case .refused(.headerSectionTooLarge, _, _, _) = try rig.explain().verdict else {
            Issue.record("\(try rig.explain().text)")
            return
        }
    }

    @Test func `of a good request has nothing to say against it`() throws {
        let explanation = try ExplainRig().explain()
        #expect(explanation.exitStatus == 0)
        #expect(explanation.remedy == nil)
        #expect(explanation.lines.allSatisfy { $0.state == .passed || $0.state == .notNeeded })
        try Self.compare(explanation, with: "good-request")
    }

    @Test func `of a request to a public route wants no token`() throws {
        var rig = ExplainRig()
        rig.url = "https://shop.example.com/health"
        rig.scheme = nil
        try Self.compare(try rig.explain(), with: "public-route")
    }

    @Test func `of a WebSocket's handshake says what becomes of it`() throws {
        var rig = ExplainRig()
        rig.fields = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        func line() throws -> Explanation.Line? { try rig.explain().lines.first { $0.check == .webSocket } }
        let plain = try #require(try line())
        #expect(plain.state == .notNeeded)
        #expect(plain.wanted == "the route has no websocket: true, so this goes on as a plain GET")
        rig.settings.routes[0].webSocket = true
        #expect(try line()?.state == .passed)
        rig.fields.removeLast()
        let explanation = try rig.explain()
        guard case .refused(.webSocketOfferMalformed, _, _, _) = explanation.verdict else {
            Issue.record("\(explanation.text)")
            return
        }
        #expect(try line()?.state == .failed)
        #expect(explanation.remedy?.steps.isEmpty == false)
        rig.fields = []
        #expect(try line() == nil)
    }

    @Test func `without an issuer's keys says that it knows nothing`() throws {
        var rig = ExplainRig()
        rig.keys = nil
        let explanation = try rig.explain()
        #expect(explanation.exitStatus == 1)
        try Self.compare(explanation, with: "issuer-unreachable")
    }

    @Test func `of a good request with a proof has looked at all of it`() throws {
        var rig = ExplainRig()
        rig.proveByDPoP()
        let explanation = try rig.explain()
        #expect(explanation.exitStatus == 0)
        try Self.compare(explanation, with: "good-proof")
    }

    /// As a running gateway remembers it: a dry run has no proofs to compare with.
    @Test func `of a replayed proof says that each request needs its own`() throws {
        var rig = ExplainRig()
        rig.proveByDPoP()
        var evidence = try rig.explain().evidence
        evidence.isDryRun = false
        let verdict = Verdict.refused(
            .proofReplayed, expected: "a proof that was not used before", found: "the same key and jti",
            row: "DPOP-15")
        try Self.compare(
            Explanation(evidence, verdict, settings: rig.settings, now: ExplainRig.now), with: "replayed-proof")
    }

    @Test func `of a proof is the same the second time, for nothing is remembered of it`() throws {
        var rig = ExplainRig()
        rig.proveByDPoP()
        #expect(try rig.explain().exitStatus == 0)
        #expect(try rig.explain().exitStatus == 0)
    }

    /// The same request a second time: nothing was remembered anywhere.
    @Test(.holds("SH-88"), .refuses("SH-88"))
    func `of a proof that replicas share says what their store would be asked`()
        throws
    {
        var rig = ExplainRig()
        rig.proveByDPoP()
        rig.settings.proofs.sharing = .required
        for _ in 0..<2 {
            let explanation = try rig.explain()
            #expect(explanation.exitStatus == 0)
            let line = try #require(explanation.lines.first { $0.check == .sharedReplay })
            #expect(line.state == .notNeeded && line.seen.isEmpty)
            let stored = try #require(explanation.evidence.storedProof)
            #expect(stored.name.utf8.count == 22 && stored.until == ExplainRig.now + 60)
            #expect(
                line.wanted
                    == "the store is not asked here: a gateway has it keep the key that ends in :p:\(stored.name) "
                    + "until 2027-01-15T08:01:00Z by any clock, unless it is there")
        }
        rig.claims["aud"] = "\"other\""
        let refused = try rig.explain()
        #expect(refused.exitStatus == 3 && refused.evidence.storedProof == nil)
        #expect(refused.lines.first { $0.check == .sharedReplay }?.wanted == "the store is not asked here")
        #expect(try ExplainRig().explain().lines.allSatisfy { $0.check != .sharedReplay })
    }

    /// As a running gateway remembers it.
    @Test(arguments: [Refusal.storeUnavailable, .storeBusy, .storeForgot])
    func `of a proof that the store did not vouch for says what can be done about the store`(cause: Refusal) throws {
        var rig = ExplainRig()
        rig.proveByDPoP()
        var evidence = try rig.explain().evidence
        evidence.isDryRun = false
        evidence.spending = .unavailable
        let explanation = Explanation(
            evidence, .refused(cause, expected: "a word", found: "none", row: "\(cause.check)"),
            settings: rig.settings, now: ExplainRig.now)
        let line = try #require(explanation.lines.first { $0.check == .sharedReplay })
        #expect(line.state == .failed && line.seen.hasPrefix("no answer that counts, of the key that ends in :p:"))
        #expect(explanation.remedy?.steps.isEmpty == false)
    }

    @Test func `of a nonce that the running gateway alone can judge says so`() throws {
        var rig = ExplainRig()
        rig.proveByDPoP()
        rig.policy.dpop.nonce = .required
        rig.proof?.claims["nonce"] = "\"something\""
        let explanation = try rig.explain()
        #expect(explanation.exitStatus == 1)
        try Self.compare(explanation, with: "nonce-of-the-process")
    }

    @Test func `of an opaque token whose issuer cannot be asked says that it knows nothing`() throws {
        var rig = ExplainRig()
        rig.token = "c29tZS1vcGFxdWUtdG9rZW4"
        rig.settings.issuers[0].introspection = IntrospectionSettings(client: 0)
        let explanation = try rig.explain()
        #expect(explanation.exitStatus == 1)
        try Self.compare(explanation, with: "introspection-unreachable")
    }

    /// Digests of what was signed for this run alone are replaced; everything else is compared byte for byte.
    static func compare(_ explanation: Explanation, with name: String) throws {
        var text = explanation.text
        for token in [explanation.evidence.token].compactMap(\.self) + explanation.evidence.proofs {
            text = text.replacing(token.digest, with: "<digest>").replacing(token.hash, with: "<hash>")
        }
        for (name, key) in [("client", ExplainRig.Proof.key), ("other", .otherP256), ("p384", .p384)] {
            text = text.replacing(ProofMint(key: key).thumbprint, with: "<\(name) jkt>")
            for member in key.publicMembers where member.value.count > 10 {
                text = text.replacing(member.value, with: "<\(name) \(member.name)>")
            }
        }
        try compare(text: text, with: name)
    }

    /// Compares byte for byte.
    static func compare(text: String, with name: String) throws {
        let file = folder.appending(path: name + ".txt")
        if ProcessInfo.processInfo.environment["PORTCULLIS_WRITE_GOLDEN"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let expected = try String(contentsOf: file, encoding: .utf8)
        #expect(text == expected)
    }
}
