import Bytes
import Crypto
import TestSupport
import TestTraits
import Testing

/// The digest that these bytes are.
private func digest(_ bytes: [UInt8]) -> SHA256Digest? { SHA256Digest(bytes.span) }

/// The digest that this text spells.
private func digest(spelt text: String) -> SHA256Digest? {
    let bytes = Array(text.utf8)
    return SHA256Digest(base64URL: bytes.span)
}

/// The hexadecimal digits of these bytes.
private func hex(_ bytes: [UInt8]) -> String { Hex.encode(bytes.span) }

extension MAC {
    fileprivate func accepts(_ code: [UInt8], of message: [UInt8]) -> Bool { verify(code.span, of: message.span) }
}

@Suite struct `digests` {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `SHA-256 gives the digests of FIPS 180`(text: String, digest: String) {
        let bytes = Array(text.utf8)
        let one = SHA256.hash(bytes.span).bytes, other = HashFunction.sha256.hash(bytes.span)
        #expect(hex(one) == digest)
        #expect(hex(other) == digest)
    }

    @Test func `SHA-1 gives the digests of FIPS 180`() throws {
        let vectors = [
            "": "da39a3ee5e6b4b0d3255bfef95601890afd80709", "abc": "a9993e364706816aba3e25717850c26c9cd0d89d",
        ]
        for (text, expected) in vectors {
            let bytes = Array(text.utf8)
            let made = SHA1.hash(bytes.span)
            let digest = try #require(made)
            #expect(digest.indices.map { digest[$0] }.map { Hex.encode([$0].span) }.joined() == expected)
        }
    }

    @Test func `SHA-384 and SHA-512 give the digests of FIPS 180`() {
        let bytes = Array("abc".utf8)
        let sha384 = HashFunction.sha384.hash(bytes.span), sha512 = HashFunction.sha512.hash(bytes.span)
        #expect(
            hex(sha384)
                == "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7")
        #expect(
            hex(sha512)
                == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
    }

    @Test func `a digest survives its spellings`() {
        let bytes = Array("abc".utf8)
        let whole = SHA256.hash(bytes.span)
        #expect(digest(whole.bytes) == whole)
        #expect(whole.base64URL.utf8.count == 43)
        #expect(digest(spelt: whole.base64URL) == whole)
    }

    @Test func `a digest of the wrong length or spelling is none`() {
        #expect(digest([UInt8](repeating: 1, count: 31)) == nil)
        #expect(digest([UInt8](repeating: 1, count: 33)) == nil)
        #expect(digest(spelt: "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0") != nil)
        #expect(digest(spelt: "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0=") == nil)
        #expect(digest(spelt: "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa1") == nil)
    }

    @Test func `digests that differ in one bit are not equal`() throws {
        let bytes = [UInt8](0..<32)
        let whole = try #require(digest(bytes))
        for bit in 0..<256 {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(digest(changed) != whole)
        }
    }
}

@Suite struct `digests of tokens` {
    @Test(.refuses("JOSE-34")) func `a token with one bit changed has another digest`() {
        let token = Array(TokenMint().accessToken().utf8)
        var digests: Set<SHA256Digest> = [SHA256.hash(token.span)]
        for index in token.indices {
            var changed = token
            changed[index] ^= 1 << UInt8(index % 7)
            digests.insert(SHA256.hash(changed.span))
            digests.insert(SHA256.hash(token.span.extracting(0..<index)))
        }
        #expect(digests.count == 2 * token.count + 1)
    }
}

@Suite struct `message authentication` {
    // RFC 4231 §4.3 with the key lengthened is no longer its vector; §4.7 has a key long enough for every hash.
    private let key = Secret([UInt8](repeating: 0xAA, count: 131))
    private let message = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)

    @Test(arguments: [
        (HashFunction.sha256, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        (
            .sha384,
            "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952"
        ),
        (
            .sha512,
            "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e52"
                + "95e64f73f63f0aec8b915a985d786598"
        ),
    ])
    func `HMAC gives the codes of RFC 4231 section 4.7`(hash: HashFunction, code: String) throws {
        let mac = try MAC(hash, key: key)
        let made = mac.authenticate(message.span)
        #expect(hex(made) == code)
        #expect(mac.accepts(made, of: message))
    }

    @Test(arguments: [32, 63, 64, 65, 131], [0, 1, 55, 56, 64, 200])
    func `HMAC with SHA-256 is two hashes, whatever the lengths of key and message`(
        keyCount: Int, messageCount: Int
    ) throws {
        let (key, message) = (RandomBytes.fill(keyCount), RandomBytes.fill(messageCount))
        let short = keyCount > 64 ? HashFunction.sha256.hash(key.span) : key
        let block = short + [UInt8](repeating: 0, count: 64 - short.count)
        let inner = HashFunction.sha256.hash((block.map { $0 ^ 0x36 } + message).span)
        let expected = HashFunction.sha256.hash((block.map { $0 ^ 0x5C } + inner).span)
        #expect(try MAC(.sha256, key: Secret(key)).authenticate(message.span) == expected)
    }

    @Test func `a code with one bit changed or cut short is refused`() throws {
        let mac = try MAC(.sha256, key: key)
        let code = mac.authenticate(message.span)
        for bit in 0..<256 {
            var changed = code
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!mac.accepts(changed, of: message))
        }
        for cut in everyStart(of: code) { #expect(!mac.accepts(cut, of: message)) }
    }

    @Test(.refuses("JOSE-11"), arguments: HashFunction.allCases)
    func `a key shorter than the hash's output is refused`(hash: HashFunction) throws {
        _ = try MAC(hash, key: Secret([UInt8](repeating: 1, count: hash.length)))
        #expect(throws: CryptoRefusal.secretTooShort) {
            _ = try MAC(hash, key: Secret([UInt8](repeating: 1, count: hash.length - 1)))
        }
        #expect(throws: CryptoRefusal.secretTooShort) { _ = try MAC(hash, key: Secret([])) }
    }
}

@Suite struct `secrets` {
    @Test func `a secret prints, dumps and mirrors as nothing`() {
        let secret = Secret(Array("hunter2".utf8))
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), String(describing: [secret]), dumped] {
            #expect(!text.contains("hunter2") && !text.contains("104") && text.contains("secret"))
        }
        #expect(Mirror(reflecting: secret).children.isEmpty)
        #expect(secret.count == 7)
    }

    @Test(.refuses("JOSE-30"))
    func `bytes of another length are others, and secrets have no equality of their own`() {
        let (two, three, none) = ([UInt8(1), 2], [UInt8(1), 2, 3], [UInt8]())
        let found = [
            ConstantTime.equal(three.span, two.span), ConstantTime.equal(two.span, none.span),
            ConstantTime.equal(none.span, none.span),
        ]
        #expect(found == [false, false, true])
        let type: Any.Type = Secret.self
        #expect(!(type is any Equatable.Type))
    }

    @Test(.holds("JOSE-30"), .refuses("JOSE-30"), arguments: 0..<32) func `a difference at any place is seen`(
        place: Int
    ) {
        let digest = [UInt8](repeating: 7, count: 32)
        var other = digest
        other[place] ^= 1
        let (same, different) = (
            ConstantTime.equal(digest.span, digest.span), ConstantTime.equal(digest.span, other.span)
        )
        #expect(same)
        #expect(!different)
    }

    @Test(.holds("OPS-10"), .refuses("OPS-10")) func `random bytes are as many as asked for and do not repeat`() {
        #expect(RandomBytes.fill(0).isEmpty)
        #expect(RandomBytes.fill(16).count == 16)
        #expect(Set((0..<1000).map { _ in RandomBytes.fill(16) }).count == 1000)
    }
}
