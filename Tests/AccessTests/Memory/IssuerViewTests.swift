import Access
import Crypto
import JOSE
import OAuth
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import Issuers

@Suite struct `a worker's view of an issuer` {
    private func view(_ pointTables: PointTables? = nil) -> IssuerView {
        let url = "https://issuer.example/"
        return IssuerView(
            IssuerSettings(name: "main", url: url, rules: AccessTokenRules(issuer: url)), pointTables: pointTables)
    }

    private func keys(_ generation: UInt64, _ version: UInt64, _ keys: [SigningKey]) throws -> IssuerKeys {
        let set = try KeySet.parse(Array(SigningKey.keySet(keys).utf8).span)
        return IssuerKeys(generation: generation, version: version, keySet: set, fetchedAt: 0, usableUntil: .max)
    }

    @Test func `begins without keys`() {
        let view = view()
        #expect(view.keys == nil)
        #expect(view.identifier == "https://issuer.example/")
    }

    @Test func `has the multiples of a busy key computed in advance, where it was given tables`() throws {
        let works = Mutex(0)
        let tables = PointTables(limit: 4) { _ in
            works.withLock { $0 += 1 }
            return true
        }
        var view = view(tables)
        view.take(try keys(1, 1, [.p256]))
        let token = Array(TokenMint(key: .p256, algorithm: .es256).accessToken().utf8)
        let jws = try CompactJWS.parse(token.span, maximumBytes: 16 * 1024)
        let keys = try #require(view.keys)
        for _ in 0..<2000 { _ = try keys.verify(jws, algorithms: [.es256]) }
        #expect(works.withLock(\.self) == 1)
    }

    @Test(.holds("JOSE-34")) func `keeps its contexts while the keys are the same`() throws {
        var view = view()
        view.take(try keys(1, 1, [.p256]))
        let first = try #require(view.keys)
        let generation = view.generation
        view.take(try keys(1, 1, [.p256]))
        #expect(view.keys === first)
        #expect(view.generation == generation)
    }

    @Test(.holds("JOSE-34")) func `goes on believing tokens when a key was merely added`() throws {
        var view = view()
        view.take(try keys(1, 1, [.p256]))
        let (first, generation) = (try #require(view.keys), view.generation)
        view.take(try keys(1, 2, [.p256, .otherP256]))
        #expect(view.keys !== first)
        #expect(view.generation == generation)
    }

    @Test(.refuses("JOSE-34")) func `believes nothing any more that was verified before a key vanished`() throws {
        var view = view()
        view.take(try keys(1, 1, [.p256, .otherP256]))
        let before = view.generation
        view.take(try keys(2, 2, [.otherP256]))
        #expect(view.generation != before)
    }

    @Test(.refuses("JOSE-34")) func `believes nothing after a withdrawal`() throws {
        var view = view()
        view.take(try keys(1, 1, [.p256]))
        let before = view.generation
        view.take(nil)
        #expect(view.keys == nil)
        #expect(view.generation != before)
        view.take(try keys(1, 1, [.p256]))
        #expect(view.keys != nil)
        #expect(view.generation != before)
    }

    @Test(.holds("JOSE-34")) func `sees a key vanish however many withdrawals came before`() throws {
        var view = view()
        view.take(try keys(1, 1, [.p256, .otherP256]))
        var seen: Set<UInt64> = [view.generation]
        for round in 2...6 as ClosedRange<UInt64> {
            view.take(nil)
            view.take(try keys(round - 1, round - 1, [.p256, .otherP256]))
            // Tokens are verified, and remembered under this generation.
            let between = view.generation
            #expect(seen.insert(between).inserted)
            view.take(try keys(round, round, [.otherP256]))
            #expect(view.generation != between, "round \(round)")
            #expect(seen.insert(view.generation).inserted)
        }
    }
}

@Suite struct `a failed signature` {
    private func view(interval: Int) -> IssuerView {
        let url = "https://id.example/"
        var settings = IssuerSettings(name: "main", url: url, rules: AccessTokenRules(issuer: url))
        settings.keyTimes.unknownKeyInterval = .seconds(interval)
        return IssuerView(settings)
    }

    @Test(.holds("JOSE-17")) func `lets one failed signature in an interval have the keys read again`() {
        var view = view(interval: 30)
        let answers = [1000, 1000, 30_999, 31_000].map { view.mayReadKeysAgain(for: .many, at: $0) }
        #expect(answers == [true, false, false, true])
    }

    @Test(.holds("ECO-81"), .refuses("ECO-81")) func `of one client takes nothing from another's`() {
        var view = view(interval: 30)
        let (one, other) = (AskingClient((1, 1)), AskingClient((1, 2)))
        for _ in 0..<1000 { _ = view.mayReadKeysAgain(for: one, at: 1000) }
        let answers = [other, other].map { view.mayReadKeysAgain(for: $0, at: 1000) }
        #expect(answers == [true, false])
    }
}
