import Bytes
import Crypto
import TestSupport
import TestTraits
import Testing

@testable import Sessions

@Suite struct `what is sealed` {
    private static let name = "__Host-portcullis-shop"
    private static let text = Array("a session".utf8)

    private func keys(
        _ numbers: [UInt8] = [1], purpose: SealingKeys.Purpose = .session, client: String = "shop", name: String = name
    ) throws -> SealingKeys {
        try SealingKeys(numbers.map { Sample.key($0) }, purpose: purpose, client: client, bound: [name])
    }

    @Test(.holds("SC-04")) func `opens with the same keys, names and purpose, as often as one likes`() throws {
        let sealed = try keys().seal(Self.text, additional: [1])
        for _ in 0..<3 { #expect(try keys().open(sealed, additional: [1]) == Self.text) }
        #expect(sealed.count == SealingKeys.sealedCount(Self.text.count))
        #expect(try keys().open(keys().seal([]), additional: []) == [])
    }

    @Test(.holds("SC-04")) func `is bound to the cookie's name, the client, the purpose and what is said beside`()
        throws
    {
        let sealed = try keys().seal(Self.text, additional: [1])
        #expect(try keys(name: "__Host-portcullis-shoq").open(sealed, additional: [1]) == nil)
        #expect(try keys(client: "blog").open(sealed, additional: [1]) == nil)
        #expect(try keys(purpose: .transaction).open(sealed, additional: [1]) == nil)
        #expect(try keys().open(sealed, additional: [2]) == nil)
        #expect(try keys().open(sealed) == nil)
        #expect(try keys([2]).open(sealed, additional: [1]) == nil)
        // Names do not run together: `ab` for `c` is not `a` for `bc`.
        let run = try SealingKeys([Sample.key()], purpose: .session, client: "ab", bound: ["c"]).seal(Self.text)
        #expect(try SealingKeys([Sample.key()], purpose: .session, client: "a", bound: ["bc"]).open(run) == nil)
        #expect(try SealingKeys([Sample.key()], purpose: .session, client: "ab", bound: ["c", ""]).open(run) == nil)
    }

    @Test(.refuses("SC-04")) func `does not open after any change`() throws {
        let keys = try keys()
        let sealed = try keys.seal(Self.text)
        let bytes = Base64URL.decode(sealed.span) ?? []
        for index in bytes.indices {
            for bit in 0..<8 {
                var other = bytes
                other[index] ^= 1 << UInt8(bit)
                #expect(keys.open(Array(Base64URL.encode(other.span).utf8)) == nil, "byte \(index), bit \(bit)")
            }
        }
        for cut in everyStart(of: sealed) { #expect(keys.open(cut) == nil) }
    }

    @Test(.holds("SC-04")) func `looks different each time, and tells nothing but its length`() throws {
        let keys = try keys()
        let many = try (0..<500).map { _ in try keys.seal(Self.text) }
        #expect(Set(many).count == 500)
        // Version and key id are the same, the nonce is not.
        #expect(Set(many.map { Array($0.prefix(4)) }).count == 1)
        #expect(Set(many.map { Array($0[4..<20]) }).count == 500)
        for sealed in many { #expect(!String(decoding: sealed, as: UTF8.self).contains("session")) }
    }

    @Test(.holds("SC-15")) func `opens with every key of the ring and seals with the first`() throws {
        let byOld = try keys([1]).seal(Self.text)
        let ring = try keys([2, 1])
        #expect(ring.open(byOld) == Self.text)
        let byNew = try ring.seal(Self.text)
        #expect(try keys([2]).open(byNew) == Self.text)
        #expect(try keys([1]).open(byNew) == nil)
        // Rotated twice, the window's first key is still there.
        #expect(try keys([3, 2, 1]).open(byOld) == Self.text)
        #expect(try keys([3, 2, 1]).open(byNew) == Self.text)
    }

    @Test(.refuses("SC-15"))
    func `does not open what a key sealed that has left the ring, nor another client's with the same key`()
        throws
    {
        let sealed = try keys([1]).seal(Self.text)
        #expect(try keys([3, 2]).open(sealed) == nil)
        #expect(try keys([1], client: "blog", name: Self.name).open(sealed) == nil)
    }

    @Test(.holds("SC-15")) func `without a configured key is sealed with one that only this process has`() async throws
    {
        let one = try SealingKeys([], purpose: .session, client: "shop")
        let sealed = try one.seal(Self.text)
        // A configuration that is read again logs nobody out.
        #expect(try SealingKeys([], purpose: .session, client: "shop").open(sealed) == Self.text)
        #expect(try keys().open(sealed) == nil)
        #expect(
            try SealingKeys([Secret([UInt8](repeating: 0, count: 32))], purpose: .session, client: "shop").open(sealed)
                == nil)
    }

    @Test(.refuses("SC-15"), arguments: [0, 1, 16, 31, 33, 64])
    func `takes no key that is not 32 bytes`(count: Int) {
        let key = Secret([UInt8](repeating: 1, count: count))
        #expect(throws: CryptoRefusal.keyLength) {
            try SealingKeys([Sample.key(), key], purpose: .session, client: "shop")
        }
        #expect(throws: CryptoRefusal.keyLength) { try TransactionSealer(keys: [key], client: "shop") }
        #expect(throws: CryptoRefusal.keyLength) {
            try SessionStores.make(Sample.settings(keys: [key]), client: "shop")
        }
    }

    @Test(.refuses("SC-04")) func `no bytes of a stranger open or trap`() throws {
        let keys = try keys()
        var dice = Dice(2)
        for round in 0..<4000 {
            var bytes = dice.bytes(Int(dice.next() % 120))
            // Half of them get past the version.
            if round.isMultiple(of: 2), !bytes.isEmpty { bytes[0] = 1 }
            #expect(keys.open(Array(Base64URL.encode(bytes.span).utf8)) == nil)
            #expect(keys.open(bytes) == nil)
        }
        #expect(keys.open([UInt8](repeating: 0x41, count: 1 << 20)) == nil)
    }

    @Test(.refuses("T-52")) func `nothing that holds a secret compares or prints it`() {
        let session = Sample.session(accessToken: 60)
        let transaction = LoginTransaction(seed: Sample.key(), returnTo: "/a", createdAt: 1, client: "shop")
        for text in ["\(session)", "\(transaction)", String(reflecting: session), String(reflecting: transaction)] {
            #expect(!text.contains("alice") && !text.contains("/a") && !text.contains("1, 1"))
        }
        #expect(!(session is any Equatable) && !(transaction is any Equatable))
        var dumped = ""
        dump(session, to: &dumped)
        dump(transaction, to: &dumped)
        #expect(!dumped.contains("alice") && !dumped.contains("/a"))
    }
}
