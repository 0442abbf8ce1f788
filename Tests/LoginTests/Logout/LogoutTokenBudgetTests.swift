import Bytes
import Crypto
import JOSE
import Refusals
import Sessions
import TestSupport
import TestTraits
import Testing

@testable import Login

/// How much work bad logout tokens may make, and that no good one is kept out by them (LO-12).
@Suite(.timeLimit(.minutes(10)))
struct LogoutTokenBudgetTests {
    private func world(decryption keys: [DecryptionJWK] = []) throws -> SignedIn {
        try SignedIn(store: .memory) {
            $0.logout.backchannel = true
            $0.keys.decryption = keys
        }
    }

    private func isDone(_ answer: LoginAnswer) -> Bool { if case .done = answer.content { true } else { false } }

    private func forged(_ world: SignedIn) -> String {
        LogoutTokens.token(world, key: SigningKey(renaming: .otherP256, keyID: "p256-1"))
    }

    private func post(_ world: SignedIn, _ token: String, from peer: String? = nil) async -> LoginAnswer {
        await LogoutTokens.post(world, "logout_token=\(token)") { request in
            if let peer { request.peer = peer }
        }
    }

    // MARK: signatures

    @Test(.refuses("LO-12")) func `Junk is bounded where it would cost signatures, and never for another network`()
        async throws
    {
        let world = try world()
        let forged = forged(world)
        var refusals: [Refusal?] = []
        for _ in 0..<2300 { refusals.append(await post(world, forged).refusal) }
        // The network's own 200, and 2,000 that are to spare.
        #expect(refusals.prefix(2200).allSatisfy { $0 == .logoutTokenInvalid })
        #expect(refusals.suffix(100).allSatisfy { $0 == .loginRequestsTooMany })
        // What costs no signature is told what is wrong with it.
        #expect(await post(world, "x&logout_token=y").refusal == .logoutTokenInvalid)
        #expect(isDone(await post(world, LogoutTokens.token(world), from: "198.51.100.9")))
        world.clock.pass(seconds: 1)
        #expect(await post(world, forged).refusal == .logoutTokenInvalid)
    }

    @Test(.holds("LO-12")) func `A network's first good token is heard beside more junk than the network's share`()
        async throws
    {
        let world = try world()
        let forged = forged(world)
        for _ in 0..<500 { #expect(await post(world, forged).refusal == .logoutTokenInvalid) }
        #expect(isDone(await post(world, LogoutTokens.token(world))))
    }

    @Test(
        .refuses("LO-12"),
        arguments: [(LogoutTokenBudget.Work.signature, 1), (.decryption, 34)] as [(LogoutTokenBudget.Work, Int64)])
    func `A network's first good token is looked at in every moment while junk comes steadily`(
        _ work: LogoutTokenBudget.Work, _ interval: Int64
    ) {
        let budget = LogoutTokenBudget()
        for time in 0..<Int64(30_000) {
            #expect(budget.isLeft(to: "192.0.2.1", for: work, at: time))
            if time % interval == 0 { budget.failed("192.0.2.1", work, at: time) }
        }
    }

    @Test(.holds("LO-12")) func `A network that has brought a good token is heard beside a stranger's junk`()
        async throws
    {
        let world = try world()
        #expect(isDone(await post(world, LogoutTokens.token(world))))
        let forged = forged(world)
        for _ in 0..<2300 { _ = await post(world, forged) }
        let next = LogoutTokens.token(world, claims: ["jti": "\"logout-2\""])
        #expect(isDone(await post(world, next)))
    }

    @Test(.holds("LO-12")) func `The networks of a budget are bounded, and the one proven last is among them`() {
        let budget = LogoutTokenBudget()
        for network in 0...LogoutTokenBudget.networkLimit {
            budget.succeeded("10.0.\(network / 256).\(network % 256)", at: Int64(network))
        }
        // What is to spare is spent by others.
        for _ in 0..<2200 { budget.failed("192.0.2.1", .signature, at: 1000) }
        func isHeard(_ address: String) -> Bool {
            for _ in 0..<200 { budget.failed(address, .signature, at: 1000) }
            return budget.isLeft(to: address, for: .signature, at: 1000)
        }
        #expect(!isHeard("10.0.0.0"))
        #expect(isHeard("10.0.1.0"))
    }

    // MARK: decryptions

    @Test(.holds("LO-12"), arguments: [(false, 30), (true, 130)] as [(Bool, Int)])
    func `In the long run so many decryptions go ahead as are allowed, however fast junk comes`(
        _ isProven: Bool, _ perSecond: Int
    ) {
        let budget = LogoutTokenBudget()
        if isProven { budget.succeeded("192.0.2.1", at: 0) }
        func looked(during times: some Sequence<Int64>) -> Int {
            times.count { time in
                guard budget.isLeft(to: "192.0.2.1", for: .decryption, at: time) else { return false }
                budget.failed("192.0.2.1", .decryption, at: time)
                return true
            }
        }
        // The burst, and then one each ten milliseconds, and one each millisecond.
        #expect(looked(during: repeatElement(0, count: 1000)) == (isProven ? 260 : 60))
        let slow = looked(during: stride(from: 10, through: 2000, by: 10))
        let fast = looked(during: 2001...4000)
        #expect((1...2 * perSecond).contains(slow), "\(slow)")
        // What was not asked for in the first two seconds is there in the others.
        #expect((1...4 * perSecond - slow).contains(fast), "\(fast)")
    }

    @Test(.refuses("LO-12")) func `Junk of one kind of work keeps out no token of the other`() {
        let budget = LogoutTokenBudget()
        for work in LogoutTokenBudget.Work.allCases {
            for _ in 0..<5000 { budget.failed("192.0.2.\(work)", work, at: 0) }
            for other in LogoutTokenBudget.Work.allCases {
                #expect(budget.isLeft(to: "192.0.2.\(work)", for: other, at: 0) == (other != work))
            }
        }
    }

    /// A token in five parts whose header says that.
    private func sealed(_ header: String, rest: String = "YQ.YQ.YQ.YQ") -> String {
        let bytes = Array(header.utf8)
        return Base64URL.encode(bytes.span) + "." + rest
    }

    @Test(.refuses("LO-12")) func `What looks encrypted and reaches no key costs nothing`() async throws {
        let key = try DecryptionJWK(PrivateKey.generate(.p256), algorithm: "ECDH-ES+A256KW")
        let world = try world(decryption: [key])
        let point = "\"epk\":{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"YQ\",\"y\":\"YQ\"}"
        let junk = [
            "a.b.c.d.e", "....", sealed("{}"), sealed("{\"alg\":\"RSA1_5\",\"enc\":\"A256GCM\"}"),
            sealed("{\"alg\":\"dir\",\"enc\":\"A256GCM\"}", rest: ".YQ.YQ.YQ"),
            sealed("{\"alg\":\"ECDH-ES+A256KW\",\"enc\":\"none\",\(point)}"),
            sealed("{\"alg\":\"ECDH-ES+A256KW\",\"enc\":\"A256GCM\",\"kid\":\"other\",\(point)}"),
            sealed("{\"alg\":\"ECDH-ES+A256KW\",\"enc\":\"A256GCM\",\"zip\":\"DEF\",\(point)}"),
        ]
        for token in junk {
            for _ in 0..<100 { #expect(await post(world, token).refusal == .logoutTokenInvalid) }
        }
        #expect(isDone(await post(world, try encrypted(LogoutTokens.token(world), to: key))))
    }

    private func encrypted(_ text: String, to key: DecryptionJWK) throws -> String {
        let sealed = try CompactJWE.encrypt(
            text.utf8Span.span, to: key.published, algorithm: key.algorithm, encoding: "A256GCM", contentType: nil)
        return String(decoding: sealed, as: UTF8.self)
    }

    @Test(.holds("LO-12")) func `Whatever a decryption key was used for costs a decryption`() async throws {
        let key = try DecryptionJWK(PrivateKey.generate(.p256), algorithm: "ECDH-ES+A256KW")
        let sample = try world(decryption: [key])
        let foreign = try encrypted(LogoutTokens.token(sample), to: key)
        var cut = foreign
        cut.removeLast(4)
        for junk in [
            cut + "AAAA", try encrypted("no token", to: key), try encrypted(forged(sample), to: key),
            try encrypted(LogoutTokens.token(sample, claims: ["iss": "\"https://other.example.com\""]), to: key),
            try encrypted(LogoutTokens.token(sample, claims: ["exp": "1"]), to: key), try encrypted(cut, to: key),
        ] {
            let world = try world(decryption: [key])
            var refusals: [Refusal?] = []
            for _ in 0..<70 { refusals.append(await post(world, junk).refusal) }
            #expect(refusals.prefix(60).allSatisfy { $0 == .logoutTokenInvalid })
            #expect(refusals.suffix(10).allSatisfy { $0 == .loginRequestsTooMany })
            // A token in plain is not kept out by it.
            #expect(isDone(await post(world, LogoutTokens.token(world))))
        }
    }
}
