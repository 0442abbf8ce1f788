import Crypto
import TestTraits
import Testing

@testable import Gateway

/// Proofs that were let through without the store, until that has them (SH-59).
@Suite struct `proofs that were let through without the store` {
    private let now: Int64 = 1_800_000_000

    private func digest(_ number: Int) -> SHA256Digest { SHA256.hash(Array("\(number)".utf8).span) }

    private func next(_ proofs: inout LocalProofs) throws -> (number: UInt32, proof: LocalProofs.Proof) {
        let next = proofs.next(now: now)
        return try #require(next)
    }

    private func note(_ number: Int, until: Int64, in proofs: inout LocalProofs) -> Bool {
        proofs.note(digest(number), until: until)
    }

    @Test(.holds("SH-59")) func `are told to it in their order, and are there until it has them`() throws {
        var proofs = LocalProofs()
        for number in 0..<3 { #expect(note(number, until: now + 60, in: &proofs)) }
        var told: [(number: UInt32, proof: LocalProofs.Proof)] = []
        for _ in 0..<3 { told.append(try next(&proofs)) }
        #expect(told.map(\.proof.digest) == (0..<3).map(digest))
        #expect(Set(told.map(\.number)).count == 3 && !told.contains { $0.number == 0 })
        let more = proofs.next(now: now)
        #expect(more == nil && !proofs.isEmpty, "they are under way")
        proofs.confirm(told[0].number)
        proofs.confirm(told[2].number)
        #expect(!proofs.isEmpty)
        proofs.confirm(told[1].number)
        #expect(proofs.isEmpty)
        proofs.confirm(told[1].number)
        proofs.giveBack(told[1].number)
        #expect(proofs.isEmpty, "an answer that comes twice")
    }

    @Test(.refuses("SH-59")) func `are told again where nobody knows whether it has them`() throws {
        var proofs = LocalProofs()
        for number in 0..<2 { #expect(note(number, until: now + 60, in: &proofs)) }
        let first = try next(&proofs)
        let second = try next(&proofs)
        proofs.giveBack(first.number)
        proofs.confirm(second.number)
        let again = try next(&proofs)
        #expect(again.proof.digest == digest(0) && again.number != first.number)
        proofs.giveBack(first.number)
        let late = proofs.next(now: now)
        #expect(late == nil, "a late answer of the first time is nobody's")
        proofs.confirm(again.number)
        #expect(proofs.isEmpty)
    }

    @Test(.refuses("SH-59")) func `are as many as there is room for, and so many at once`() throws {
        var proofs = LocalProofs()
        for number in 0..<LocalProofs.limit { #expect(note(number, until: now + 60, in: &proofs)) }
        #expect(!note(0, until: now + 60, in: &proofs))
        var told: [UInt32] = []
        while let next = proofs.next(now: now) { told.append(next.number) }
        #expect(told.count == LocalProofs.atOnce)
        #expect(!note(0, until: now + 60, in: &proofs), "those under way count")
        var count = told.count
        while let number = told.popLast() {
            proofs.confirm(number)
            guard let next = proofs.next(now: now) else { continue }
            told.append(next.number)
            count += 1
        }
        #expect(count == LocalProofs.limit && proofs.isEmpty)
    }

    @Test(.holds("SH-59")) func `are let go when no clock accepts them any more`() throws {
        var proofs = LocalProofs()
        #expect(note(0, until: now - 1, in: &proofs))
        #expect(note(1, until: now, in: &proofs))
        #expect(try next(&proofs).proof.digest == digest(1))
        let more = proofs.next(now: now)
        #expect(more == nil)
    }
}
