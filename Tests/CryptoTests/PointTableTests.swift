import Bytes
import Foundation
import JOSE
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import Crypto

/// A number from 0 to 255 as 32 bytes.
private func small(_ number: UInt8) -> [UInt8] { [UInt8](repeating: 0, count: 31) + [number] }

/// A key with its secret, so that signatures can be made by formula.
private struct Pair {
    let secret: [UInt8]
    let point: [UInt8]
    let table: PointTable

    init() throws {
        secret = P256.randomNumber()
        point = P256.multiple(secret)
        table = try #require(PointTable(point: point))
    }

    /// R and S over `digest`.
    func sign(_ digest: [UInt8]) -> (r: [UInt8], s: [UInt8]) {
        let nonce = P256.randomNumber()
        let r = P256.product(Array(P256.multiple(nonce)[1...32]), small(1))
        let s = P256.product(P256.inverse(nonce), P256.sum(digest, P256.product(r, secret)))
        return (r, s)
    }
}

/// Asks the table and `EVP_PKEY_verify`, which must agree.
private func accepts(
    _ r: [UInt8], _ s: [UInt8], _ digest: [UInt8], _ point: [UInt8], _ table: PointTable, _ scratch: PointScratch
) -> Bool {
    let signature = r + s
    let verdict = table.verify(signature.span, digest: digest.span, scratch)
    let library = P256.accepts(r: r, s: s, digest: digest, by: point)
    #expect(verdict == library, "r \(r) s \(s) digest \(digest) point \(point)")
    #expect(OpenSSLErrors.isEmpty)
    return verdict == true
}

extension PointTable {
    fileprivate func verdict(_ signature: [UInt8], _ digest: [UInt8], _ scratch: PointScratch) -> Bool? {
        verify(signature.span, digest: digest.span, scratch)
    }
}

extension PointTableUse {
    fileprivate func verdict(_ signature: [UInt8], of message: [UInt8]) -> Bool? {
        verify(signature.span, of: message.span)
    }
}

extension VerificationKey {
    fileprivate func accepts(_ signature: [UInt8], of message: [UInt8], by scheme: SignatureScheme) -> Bool {
        verify(signature.span, of: message.span, by: scheme)
    }
}

private func scratch() throws -> PointScratch {
    let scratch = PointScratch()
    return try #require(scratch)
}

@Suite struct `a table of a key's multiples` {
    @Test(.holds("DPOP-05")) func `accepts what EVP_PKEY_verify accepts`() throws {
        let scratch = try scratch()
        for _ in 0..<4 {
            let pair = try Pair()
            for round in 0..<500 {
                let digest = round == 0 ? small(0) : P256.randomNumber()
                let (r, s) = pair.sign(digest)
                #expect(accepts(r, s, digest, pair.point, pair.table, scratch))
                // The other half of every ECDSA signature.
                #expect(accepts(r, P256.negative(s), digest, pair.point, pair.table, scratch))
            }
        }
    }

    @Test(.refuses("DPOP-05")) func `refuses what EVP_PKEY_verify refuses`() throws {
        let scratch = try scratch()
        let pair = try Pair(), other = try Pair()
        for round in 0..<1000 {
            let digest = P256.randomNumber()
            let (r, s) = pair.sign(digest)
            func flipped(_ bytes: [UInt8]) -> [UInt8] {
                var bytes = bytes
                bytes[round % 32] ^= 1 << UInt8(round / 32 % 8)
                return bytes
            }
            #expect(!accepts(flipped(r), s, digest, pair.point, pair.table, scratch))
            #expect(!accepts(r, flipped(s), digest, pair.point, pair.table, scratch))
            #expect(!accepts(r, s, flipped(digest), pair.point, pair.table, scratch))
            #expect(!accepts(s, r, digest, pair.point, pair.table, scratch))
            #expect(!accepts(r, s, digest, other.point, other.table, scratch))
            #expect(!accepts(P256.negative(r), s, digest, pair.point, pair.table, scratch))
        }
    }

    @Test(.refuses("DPOP-05")) func `refuses numbers at the ends of their range as EVP_PKEY_verify does`() throws {
        let scratch = try scratch()
        let pair = try Pair()
        let ones = [UInt8](repeating: 0xFF, count: 32)
        let ends = [
            small(0), small(1), small(2), P256.difference(P256.order, small(1)), P256.order, increased(P256.order),
            ones,
        ]
        for digest in [P256.randomNumber(), small(0), small(1), P256.order, ones] {
            let (r, s) = pair.sign(digest)
            #expect(accepts(r, s, digest, pair.point, pair.table, scratch))
            for end in ends {
                #expect(!accepts(end, s, digest, pair.point, pair.table, scratch))
                #expect(!accepts(r, end, digest, pair.point, pair.table, scratch))
                for other in ends { #expect(!accepts(end, other, digest, pair.point, pair.table, scratch)) }
            }
        }
    }

    private func increased(_ number: [UInt8]) -> [UInt8] {
        var number = number
        number[31] += 1
        return number
    }

    @Test(.holds("DPOP-05"), .refuses("DPOP-05"))
    func `adds points that are equal or opposite as EVP_PKEY_verify does`() throws {
        let scratch = try scratch()
        let pair = try Pair()
        for _ in 0..<50 {
            // u1·G = u2·Q when the digest is r·d; with s = 2·r·d/k the signature is even good.
            let nonce = P256.randomNumber()
            let r = P256.product(Array(P256.multiple(nonce)[1...32]), small(1))
            let equal = P256.product(r, pair.secret)
            let s = P256.product(P256.inverse(nonce), P256.sum(equal, equal))
            #expect(accepts(r, s, equal, pair.point, pair.table, scratch))
            #expect(!accepts(r, P256.randomNumber(), equal, pair.point, pair.table, scratch))
            // u1·G = -u2·Q: their sum is infinity whatever s is.
            let opposite = P256.negative(equal)
            #expect(!accepts(r, s, opposite, pair.point, pair.table, scratch))
            #expect(!accepts(r, P256.randomNumber(), opposite, pair.point, pair.table, scratch))
        }
    }

    @Test(.holds("DPOP-05"), .refuses("DPOP-05"))
    func `takes a coordinate beyond the order modulo the order as EVP_PKEY_verify does`() throws {
        let scratch = try scratch()
        var count = 0
        // r = x - n fits both; only a key made for the point has such a signature.
        for number in UInt8(0)...40 {
            var x = P256.order
            let (sum, overflow) = x[31].addingReportingOverflow(number)
            guard !overflow,
                let point = P256.point(
                    x: {
                        x[31] = sum; return x
                    }())
            else { continue }
            let r = small(number)
            guard number > 0 else { continue }
            let u1 = P256.randomNumber(), s = P256.randomNumber()
            let u2 = P256.product(r, P256.inverse(s))
            let inverse = P256.inverse(u2)
            // Q = (R - u1·G) / u2.
            let key = try #require(P256.combination(P256.negative(P256.product(u1, inverse)), inverse, of: point))
            let table = try #require(PointTable(point: key))
            #expect(accepts(r, s, P256.product(u1, s), key, table, scratch))
            #expect(!accepts(x, s, P256.product(u1, s), key, table, scratch))
            count += 1
        }
        #expect(count >= 5)
    }

    @Test func `a table of the curve's own generator and of its opposite works`() throws {
        let scratch = try scratch()
        for secret in [small(1), small(2), P256.difference(P256.order, small(1))] {
            let point = P256.multiple(secret)
            let made = PointTable(point: point)
            // The library may have its own table for G and make none.
            guard let table = made else { continue }
            let digest = P256.randomNumber(), nonce = P256.randomNumber()
            let r = P256.product(Array(P256.multiple(nonce)[1...32]), small(1))
            let s = P256.product(P256.inverse(nonce), P256.sum(digest, P256.product(r, secret)))
            #expect(accepts(r, s, digest, point, table, scratch))
            #expect(!accepts(r, s, P256.randomNumber(), point, table, scratch))
        }
    }

    @Test func `there is no table of what is no point`() throws {
        let point = P256.multiple(P256.randomNumber())
        var offCurve = point
        offCurve[64] ^= 1
        for bytes in [offCurve, [], [0], [UInt8](repeating: 0, count: 65), Array(point.dropLast()), point + [0]] {
            #expect(PointTable(point: bytes) == nil)
        }
        #expect(OpenSSLErrors.isEmpty)
    }

    @Test func `a signature or digest of another length is refused`() throws {
        let scratch = try scratch()
        let pair = try Pair()
        let digest = P256.randomNumber()
        let (r, s) = pair.sign(digest)
        for (signature, digest) in [(r, digest), (r + s + [0], digest), ([], digest), (r + s, r + s), (r + s, [])] {
            #expect(pair.table.verdict(signature, digest, scratch) == false)
        }
    }
}

/// Work that was handed over, run when the test says so.
private final class Service: Sendable {
    private let work = Mutex<[@Sendable () -> Void]>([])

    func take(_ work: @escaping @Sendable () -> Void) -> Bool {
        self.work.withLock { $0.append(work) }
        return true
    }

    var count: Int { work.withLock { $0.count } }

    func runAll() {
        let taken = work.withLock { work in
            defer { work = [] }
            return work
        }
        for one in taken { one() }
    }
}

extension PointTables {
    /// Tables that are made beside the tests, which may have all threads of the concurrency runtime to themselves.
    fileprivate static func onAnotherThread() -> PointTables {
        PointTables(limit: 4) { work in
            Thread.detachNewThread { work() }
            return true
        }
    }
}

@Suite struct `the keeper of tables` {
    private let points = (0..<6).map { _ in P256.multiple(P256.randomNumber()) }

    @Test func `a table is made once, elsewhere, and then shared`() {
        let service = Service()
        let tables = PointTables(limit: 2, execute: service.take)
        #expect(tables.table(for: points[0]) == nil && tables.table(for: points[0]) == nil)
        #expect(tables.table(for: points[1]) == nil)
        #expect(service.count == 1 && tables.count == 2)
        service.runAll()
        let table = tables.table(for: points[0])
        #expect(table != nil && tables.table(for: points[0]) === table && tables.table(for: points[1]) !== table)
        #expect(service.count == 0 && tables.count == 2)
    }

    @Test func `more keys than tables get none while the others are in use`() {
        let service = Service()
        let tables = PointTables(limit: 2, execute: service.take)
        for point in points[0..<2] { #expect(tables.table(for: point) == nil) }
        #expect(tables.table(for: points[2]) == nil)
        service.runAll()
        #expect(tables.count == 2)
        for _ in 0..<50 {
            for point in points[0..<2] { #expect(tables.table(for: point) != nil) }
            #expect(tables.table(for: points[2]) == nil)
        }
        #expect(service.count == 0)
    }

    @Test func `the table that was unused for the longest time makes room, and its memory is given back`() {
        let service = Service()
        let tables = PointTables(limit: 2, execute: service.take)
        for point in points[0..<2] { #expect(tables.table(for: point) == nil) }
        service.runAll()
        weak let silent = tables.table(for: points[0])
        #expect(silent != nil)
        for _ in 0..<4 { #expect(tables.table(for: points[1]) != nil) }
        #expect(tables.table(for: points[2]) == nil)
        #expect(silent == nil && tables.count == 2 && service.count == 1)
        service.runAll()
        #expect(tables.table(for: points[1]) != nil && tables.table(for: points[2]) != nil)
        #expect(tables.table(for: points[0]) == nil)
    }

    @Test func `a point the library makes no table of ends the attempts`() {
        let service = Service()
        let tables = PointTables(limit: 2, execute: service.take)
        #expect(tables.table(for: [4]) == nil && tables.table(for: points[0]) == nil)
        service.runAll()
        #expect(tables.count == 0 && tables.table(for: points[0]) == nil && service.count == 0)
    }

    @Test func `without a thread nothing is made, and it is tried again`() {
        let tables = PointTables(limit: 2, execute: { _ in false })
        for _ in 0..<3 { #expect(tables.table(for: points[0]) == nil && tables.count == 0) }
    }
}

@Suite struct `a busy key` {
    private let message = Array("what was signed".utf8)

    private func use(_ key: SigningKey, _ tables: PointTables) throws -> PointTableUse {
        let point = try numbers(key)
        return PointTableUse(x: point.x.span, y: point.y.span, tables: tables)
    }

    @Test func `asks for a table after so many good signatures, and uses it`() throws {
        let service = Service()
        let use = try use(.p256, PointTables(limit: 2, execute: service.take))
        let signature = SigningKey.p256.sign(message, by: .es256)
        for _ in 1..<PointTableUse.threshold { use.countSuccess() }
        #expect(service.count == 0 && use.verdict(signature, of: message) == nil)
        use.countSuccess()
        #expect(service.count == 1)
        service.runAll()
        for _ in 0..<PointTableUse.interval { use.countSuccess() }
        #expect(use.hasTable && use.verdict(signature, of: message) == true)
        let other = SigningKey.otherP256.sign(message, by: .es256)
        #expect(use.verdict(other, of: message) == false)
        #expect(use.verdict([], of: message) == false)
    }

    @Test func `goes back to the library when its table was dropped`() throws {
        let service = Service()
        let tables = PointTables(limit: 1, execute: service.take)
        let signature = SigningKey.p256.sign(message, by: .es256)
        let first = try use(.p256, tables), second = try use(.otherP256, tables)
        for _ in 0..<PointTableUse.threshold { first.countSuccess() }
        service.runAll()
        for _ in 0..<PointTableUse.interval { first.countSuccess() }
        #expect(first.hasTable)
        // The first falls silent while the second asks.
        for _ in 0..<PointTableUse.threshold + 3 * PointTableUse.interval { second.countSuccess() }
        #expect(!first.hasTable && first.verdict(signature, of: message) == nil)
    }

    @Test(.holds("DPOP-05"), .refuses("DPOP-05"))
    func `gets the same verdicts before and after a thread made its table`() throws {
        let key = SigningKey(.p256), other = SigningKey(.p256)
        let point = try numbers(key)
        let verifier = try VerificationKey(curve: .p256, x: point.x.span, y: point.y.span, tables: .onAnotherThread())
        let scheme = SignatureScheme.ecdsa(.sha256)
        let good = key.sign(message, by: .es256), bad = other.sign(message, by: .es256)
        func check() {
            #expect(verifier.accepts(good, of: message, by: scheme))
            #expect(!verifier.accepts(bad, of: message, by: scheme))
            #expect(!verifier.accepts(good, of: bad, by: scheme))
            #expect(!verifier.accepts(good, of: message, by: .ecdsa(.sha384)))
            #expect(!verifier.accepts([UInt8](repeating: 0, count: 64), of: message, by: scheme))
        }
        check()
        var rounds = 0
        while !verifier.isAccelerated, rounds < 200_000 {
            guard verifier.accepts(good, of: message, by: scheme) else { break }
            rounds += 1
        }
        #expect(verifier.isAccelerated)
        for _ in 0..<100 { check() }
        #expect(OpenSSLErrors.isEmpty)
    }

    @Test func `shares its table with the other workers, each of which verifies with a key of its own`() async throws {
        let key = SigningKey(.p256), other = SigningKey(.p256)
        let message = message
        let good = key.sign(message, by: .es256), bad = other.sign(message, by: .es256)
        let point = try numbers(key)
        let tables = PointTables.onAnotherThread()
        let right = await withTaskGroup(of: Bool.self) { workers in
            for _ in 0..<4 {
                workers.addTask {
                    let made = try? VerificationKey(curve: .p256, x: point.x.span, y: point.y.span, tables: tables)
                    guard let verifier = made else { return false }
                    var rounds = 0
                    var isRight = true
                    while isRight, rounds < 3000 || !verifier.isAccelerated && rounds < 100_000 {
                        isRight = verifier.accepts(good, of: message, by: .ecdsa(.sha256))
                        rounds += 1
                    }
                    for _ in 0..<200 where isRight {
                        isRight =
                            verifier.accepts(good, of: message, by: .ecdsa(.sha256))
                            && !verifier.accepts(bad, of: message, by: .ecdsa(.sha256))
                    }
                    return isRight && verifier.isAccelerated
                }
            }
            return await workers.reduce(true) { $0 && $1 }
        }
        #expect(right)
        #expect(tables.count == 1)
    }

    @Test(.holds("DPOP-05"), .refuses("DPOP-05"))
    func `that was given no tables never has one, and verifies as rightly`() throws {
        let key = SigningKey(.p256), other = SigningKey(.p256)
        let point = try numbers(key)
        let verifier = try VerificationKey(curve: .p256, x: point.x.span, y: point.y.span)
        let good = key.sign(message, by: .es256), bad = other.sign(message, by: .es256)
        for _ in 0..<PointTableUse.threshold + PointTableUse.interval {
            #expect(verifier.accepts(good, of: message, by: .ecdsa(.sha256)))
        }
        #expect(!verifier.accepts(bad, of: message, by: .ecdsa(.sha256)))
        #expect(!verifier.isAccelerated)
    }

    private func numbers(_ key: SigningKey) throws -> (x: [UInt8], y: [UInt8]) {
        var numbers: [String: [UInt8]] = [:]
        for member in key.publicMembers {
            let text = Array(member.value.utf8)
            numbers[member.name] = Base64URL.decode(text.span)
        }
        return (try #require(numbers["x"]), try #require(numbers["y"]))
    }
}
