import Bytes
import Crypto
import TestTraits
import Testing

@testable import SharedState

@Suite struct `the names of keys in the store` {
    /// `pc:`, a kind, a colon and 22 characters.
    private func isName(_ name: StoreName, _ kind: StoreKind, prefix: String = "pc") -> Bool {
        let start = Array("\(prefix):\(kind.rawValue):".utf8)
        return name.bytes.starts(with: start) && name.bytes.count == start.count + 22
            && Base64URL.decode(name.suffix.span)?.count == 16
    }

    @Test(.holds("SH-50")) func `are the prefix, the kind and 128 bits in base64url`() throws {
        let names = try Sample.names()
        let digest = SHA256.hash("x".bytes.span)
        #expect(isName(names.session(RandomBytes.fill(16)), .session))
        #expect(isName(names.proof(digest), .proof))
        #expect(isName(names.state(digest), .state))
        #expect(isName(names.logoutToken(digest), .logoutToken))
        #expect(isName(names.requestObject(Secret(RandomBytes.fill(32))), .requestObject))
        for marker in names.markers(client: "shop", issuer: "i", subject: "s") { #expect(isName(marker, .marker)) }
        for index in names.indexes(client: "shop", issuer: "i", subject: "s") {
            #expect(isName(index, .subjectIndex))
        }
        for index in names.indexes(client: "shop", issuer: "i", serverSession: "s") {
            #expect(isName(index, .serverSessionIndex))
        }
        #expect(names.log.bytes == "pc:e".bytes)
        #expect(names.epoch.bytes == "pc:epoch".bytes)
    }

    @Test func `of proofs are the first half of the digest, whatever the machine's order of bytes`() throws {
        let digest = SHA256.hash("abc".bytes.span)
        let expected = Base64URL.encode(digest.bytes.span.extracting(0..<16))
        #expect(try Sample.names().proof(digest).bytes == "pc:p:\(expected)".bytes)
        // FIPS 180-4, the example of one block.
        #expect(expected == "ungWv48Bz-pBQUDeXa4iIw")
    }

    @Test func `of proofs are appended to what is there`() throws {
        let names = try Sample.names()
        let digest = SHA256.hash("abc".bytes.span)
        var bytes = "SET ".bytes
        names.appendProof(digest, to: &bytes)
        #expect(bytes == "SET ".bytes + names.proof(digest).bytes)
    }

    @Test(.refuses("SH-50")) func `tell nothing of what could be guessed without a key of the ring`() throws {
        let one = StoreNames(prefix: "pc", ring: try Sample.ring(1))
        let other = StoreNames(prefix: "pc", ring: try Sample.ring(2))
        let both = StoreNames(prefix: "pc", ring: try Sample.ring(2, 1))
        let ask: [(StoreNames) -> [StoreName]] = [
            { $0.markers(client: "shop", issuer: Sample.issuer, subject: "alice") },
            { $0.markers(client: "shop", issuer: Sample.issuer, serverSession: "alice") },
            { $0.indexes(client: "shop", issuer: Sample.issuer, subject: "alice") },
            { $0.indexes(client: "shop", issuer: Sample.issuer, serverSession: "alice") },
        ]
        for ask in ask {
            #expect(ask(one) != ask(other))
            // New things are named by the first key; what an older key has named is still found.
            #expect(ask(both) == ask(other) + ask(one))
        }
        let references = [one, other].map { $0.requestObjectReferences(state: "state".bytes).map { $0.reveal() } }
        #expect(references[0] != references[1])
        #expect(both.requestObjectReferences(state: "state".bytes).map { $0.reveal() } == references[1] + references[0])
    }

    @Test func `are another's for another client, issuer, user or kind of name`() throws {
        let names = try Sample.names()
        let all = [
            names.markers(client: "a", issuer: "b", subject: "c"),
            names.markers(client: "a", issuer: "bc", subject: ""),
            names.markers(client: "ab", issuer: "", subject: "c"),
            names.markers(client: "x", issuer: "b", subject: "c"),
            names.markers(client: "a", issuer: "b", serverSession: "c"),
            names.indexes(client: "a", issuer: "b", subject: "c"),
            names.indexes(client: "a", issuer: "b", serverSession: "c"),
        ].flatMap(\.self)
        #expect(Set(all).count == 7)
    }

    @Test(.holds("SH-09")) func `are another gateway's under another prefix`() throws {
        let id = RandomBytes.fill(16)
        let (one, other) = (try Sample.names("one"), try Sample.names("two"))
        #expect(isName(one.session(id), .session, prefix: "one"))
        #expect(one.session(id) != other.session(id))
        #expect(one.log != other.log && one.epoch != other.epoch)
    }

    @Test func `begin with no other kind's name, so that no key is taken for another`() throws {
        let words = StoreKind.allCases.map(\.rawValue)
        #expect(Set(words).count == words.count)
        #expect(!words.contains("e") && !words.contains("epoch"))
    }

    @Test func `are made again from their ends, and from nothing else`() throws {
        let names = try Sample.names()
        let name = names.session(RandomBytes.fill(16))
        #expect(names.name(.session, suffix: name.suffix) == name)
        for suffix in [[], Array(name.suffix.dropLast()), name.suffix + "A".bytes, "AAAAAAAAAAAAAAAAAAAAA*".bytes] {
            #expect(names.name(.session, suffix: suffix) == nil)
        }
    }
}

@Suite struct `the ring of the store's keys` {
    @Test(arguments: [0, 16, 31, 33, 64]) func `refuses keys that are not 32 bytes`(count: Int) {
        #expect(throws: CryptoRefusal.keyLength) { try StoreKeyRing([Secret([UInt8](repeating: 7, count: count))]) }
    }

    @Test func `refuses to be empty`() {
        #expect(throws: CryptoRefusal.secretTooShort) { try StoreKeyRing([]) }
    }

    @Test func `derives what names and what seals apart, and prints neither`() throws {
        let key = try Sample.ring(1).first
        #expect(key.seal.reveal() != Sample.key(1).reveal())
        #expect(key.id.count == 4)
        #expect(!"\(key)".contains("\(key.seal.reveal())"))
    }
}
