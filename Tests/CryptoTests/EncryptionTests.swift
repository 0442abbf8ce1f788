import Bytes
import Crypto
import TestSupport
import TestTraits
import Testing

/// The bytes that these hexadecimal digits are; blanks do not count.
private func bytes(_ digits: String) -> [UInt8] {
    let digits = Array(digits.filter { $0 != " " })
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0 }
}

private func hex(_ bytes: [UInt8]) -> String { Hex.encode(bytes.span) }

private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

private func unwrap(_ wrapped: [UInt8], _ wrapping: Secret) -> [UInt8]? {
    KeyWrap.unwrap(wrapped.span, with: wrapping)?.reveal()
}

extension AEADKey {
    fileprivate func seal(_ text: [UInt8], _ nonce: [UInt8], _ more: [UInt8] = []) throws(CryptoRefusal) -> [UInt8] {
        try seal(text.span, nonce: nonce, additional: more.span)
    }

    fileprivate func open(_ sealed: [UInt8], _ nonce: [UInt8], _ more: [UInt8] = []) -> [UInt8]? {
        open(sealed.span, nonce: nonce, additional: more.span)
    }
}

extension ContentCipher {
    fileprivate func seal(
        _ text: [UInt8], _ key: [UInt8], _ nonce: [UInt8], _ more: [UInt8] = []
    ) throws(CryptoRefusal) -> (ciphertext: [UInt8], tag: [UInt8]) {
        try seal(text.span, key: Secret(key), nonce: nonce.span, additional: more.span)
    }

    fileprivate func open(
        _ ciphertext: [UInt8], _ tag: [UInt8], _ key: [UInt8], _ nonce: [UInt8], _ more: [UInt8] = []
    ) -> [UInt8]? {
        open(ciphertext.span, tag: tag.span, key: Secret(key), nonce: nonce.span, additional: more.span)
    }
}

@Suite struct `a key that seals` {
    // The GCM specification's test cases 13, 14 and 16.
    @Test(
        .holds("SC-01"),
        arguments: [
            ("", "", "530f8afbc74536b9a963b4f1c4cb738b"),
            (
                "00000000000000000000000000000000", "",
                "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
            ),
        ])
    func `gives the ciphertexts of the specification`(text: String, more: String, sealed: String) throws {
        let key = try AEADKey(Secret(zeros(32)))
        #expect(hex(try key.seal(bytes(text), zeros(12), bytes(more))) == sealed)
        #expect(key.open(bytes(sealed), zeros(12), bytes(more)) == bytes(text))
    }

    @Test(.holds("SC-01")) func `gives the ciphertext of test case 16, which has additional bytes`() throws {
        let key = try AEADKey(Secret(bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")))
        let text = bytes(
            """
            d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525\
            b16aedf5aa0de657ba637b39
            """)
        let more = bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2"), nonce = bytes("cafebabefacedbaddecaf888")
        let sealed = try key.seal(text, nonce, more)
        #expect(
            hex(sealed) == """
                522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838\
                c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b
                """)
        #expect(key.open(sealed, nonce, more) == text)
    }

    @Test(.refuses("SC-01")) func `opens nothing of which a bit differs`() throws {
        let key = try AEADKey(Secret(RandomBytes.fill(32)))
        let nonce = RandomBytes.fill(12), more = Array("name".utf8), text = Array("value".utf8)
        let sealed = try key.seal(text, nonce, more)
        #expect(sealed.count == text.count + AEADKey.tagLength)
        #expect(key.open(sealed, nonce, more) == text)
        for bit in 0..<sealed.count * 8 {
            var touched = sealed
            touched[bit / 8] ^= 1 << (bit % 8)
            #expect(key.open(touched, nonce, more) == nil)
        }
        for cut in everyStart(of: sealed) { #expect(key.open(cut, nonce, more) == nil) }
        #expect(key.open(sealed + [0], nonce, more) == nil)
        #expect(key.open(sealed, nonce, Array("nam".utf8)) == nil)
        #expect(key.open(sealed, nonce, []) == nil)
        #expect(key.open(sealed, [nonce[0] ^ 1] + nonce.dropFirst(), more) == nil)
        #expect(try AEADKey(Secret(RandomBytes.fill(32))).open(sealed, nonce, more) == nil)
        #expect(OpenSSLErrors.isEmpty)
    }

    @Test(.refuses("SC-01")) func `takes a key of 32 bytes and a nonce of 12`() throws {
        for count in [0, 16, 24, 31, 33, 64] {
            #expect(throws: CryptoRefusal.keyLength) { try AEADKey(Secret(zeros(count))) }
        }
        let key = try AEADKey(Secret(zeros(32)))
        for count in [0, 8, 11, 13, 16] {
            #expect(throws: CryptoRefusal.nonceLength) { try key.seal([], zeros(count)) }
            #expect(key.open(zeros(32), zeros(count)) == nil)
        }
    }

    @Test func `is printed nowhere`() throws {
        let key = try AEADKey(Secret(zeros(32)))
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "[key]")
        #expect(String(reflecting: key) == "[key]")
        #expect(!dumped.contains("0"))
    }

    @Test func `seals from several threads at once`() async throws {
        let key = try AEADKey(Secret(RandomBytes.fill(32)))
        let opened = await withTaskGroup(of: Bool.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    (0..<200).allSatisfy { round in
                        let text = Array("\(thread) \(round)".utf8), nonce = RandomBytes.fill(12)
                        guard let sealed = try? key.seal(text, nonce) else { return false }
                        return key.open(sealed, nonce) == text
                    }
                }
            }
            return await group.allSatisfy { $0 }
        }
        #expect(opened)
    }
}

@Suite struct `content encryption` {
    // RFC 7518 appendices B.1, B.2 and B.3.
    @Test(
        .holds("JOSE-22"),
        arguments: [
            (
                ContentCipher.aes128CBCSHA256, "c80edfa32ddf39d5ef00c0b468834279a2e46a1b8049f792f76bfe54b903a9c9",
                "652c3fa36b0a7c5b3219fab3a30bc1c4"
            ),
            (
                .aes192CBCSHA384, "ea65da6b59e61edb419be62d19712ae5d303eeb50052d0dfd6697f77224c8edb",
                "8490ac0e58949bfe51875d733f93ac2075168039ccc733d7"
            ),
            (
                .aes256CBCSHA512, "4affaaadb78c31c5da4b1b590d10ffbd3dd8d5d302423526912da037ecbcc7bd",
                "4dd3b4c088a7f45c216839645b2012bf2e6269a8c56a816dbc1b267761955bc5"
            ),
        ])
    func `gives the ciphertexts of RFC 7518 appendix B`(
        cipher: ContentCipher, start: String, tag: String
    ) throws {
        let key = (0..<cipher.keyLength).map { UInt8($0) }
        let nonce = bytes("1af38c2dc2b96ffdd86694092341bc04")
        let text = Array(
            """
            A cipher system must not be required to be secret, and it must be able to fall into the hands of the enemy \
            without inconvenience
            """.utf8)
        let more = Array("The second principle of Auguste Kerckhoffs".utf8)
        let sealed = try cipher.seal(text, key, nonce, more)
        #expect(hex(Array(sealed.ciphertext.prefix(32))) == start)
        #expect(hex(sealed.tag) == tag)
        #expect(cipher.open(sealed.ciphertext, sealed.tag, key, nonce, more) == text)
    }

    @Test(.holds("JOSE-22"), arguments: ContentCipher.allCases)
    func `reads what it wrote, of every length`(cipher: ContentCipher) throws {
        let key = RandomBytes.fill(cipher.keyLength)
        for count in [0, 1, 15, 16, 17, 31, 32, 33, 5000] {
            let nonce = RandomBytes.fill(cipher.nonceLength), text = RandomBytes.fill(count)
            let sealed = try cipher.seal(text, key, nonce)
            #expect(sealed.tag.count == cipher.tagLength)
            #expect(cipher.open(sealed.ciphertext, sealed.tag, key, nonce) == text)
        }
    }

    @Test(.refuses("JOSE-22"), arguments: ContentCipher.allCases)
    func `opens nothing of which a bit differs, nor a shorter tag`(cipher: ContentCipher) throws {
        let key = RandomBytes.fill(cipher.keyLength), nonce = RandomBytes.fill(cipher.nonceLength)
        let sealed = try cipher.seal(Array("text".utf8), key, nonce, [1])
        for index in sealed.ciphertext.indices {
            var touched = sealed.ciphertext
            touched[index] ^= 1
            #expect(cipher.open(touched, sealed.tag, key, nonce, [1]) == nil)
        }
        for index in sealed.tag.indices {
            var touched = sealed.tag
            touched[index] ^= 0x80
            #expect(cipher.open(sealed.ciphertext, touched, key, nonce, [1]) == nil)
            let prefix = Array(sealed.tag.prefix(index))
            #expect(cipher.open(sealed.ciphertext, prefix, key, nonce, [1]) == nil)
        }
        #expect(cipher.open(sealed.ciphertext, sealed.tag + [0], key, nonce, [1]) == nil)
        #expect(cipher.open(sealed.ciphertext, sealed.tag, key, nonce, [2]) == nil)
        #expect(cipher.open(sealed.ciphertext, sealed.tag, key, nonce, []) == nil)
        #expect(cipher.open(sealed.ciphertext, sealed.tag, RandomBytes.fill(cipher.keyLength), nonce, [1]) == nil)
        #expect(cipher.open([], sealed.tag, key, nonce, [1]) == nil)
        #expect(OpenSSLErrors.isEmpty)
    }

    // The length of the additional bytes is authenticated: what is moved from them to the nonce is another message.
    @Test(.refuses("JOSE-22")) func `knows additional bytes from ciphertext`() throws {
        let cipher = ContentCipher.aes128CBCSHA256, key = RandomBytes.fill(32)
        let block = RandomBytes.fill(16), nonce = RandomBytes.fill(16)
        let sealed = try cipher.seal(Array("text".utf8), key, nonce, block)
        #expect(cipher.open(nonce + sealed.ciphertext, sealed.tag, key, block, []) == nil)
    }

    @Test(.refuses("JOSE-22"), arguments: ContentCipher.allCases)
    func `takes keys and nonces of one length`(cipher: ContentCipher) throws {
        let key = zeros(cipher.keyLength), nonce = zeros(cipher.nonceLength)
        #expect(throws: CryptoRefusal.keyLength) { try cipher.seal([], key + [0], nonce) }
        #expect(throws: CryptoRefusal.keyLength) { try cipher.seal([], Array(key.dropLast()), nonce) }
        #expect(throws: CryptoRefusal.nonceLength) { try cipher.seal([], key, nonce + [0]) }
        #expect(throws: CryptoRefusal.nonceLength) { try cipher.seal([], key, []) }
        #expect(cipher.open(zeros(16), zeros(cipher.tagLength), [], nonce) == nil)
        #expect(cipher.open(zeros(16), zeros(cipher.tagLength), key, []) == nil)
    }
}

@Suite struct `derived keys` {
    @Test(arguments: [
        (
            "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
        ),
        (
            "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "", "",
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
        ),
    ])
    func `HKDF gives the keys of RFC 5869 appendix A`(key: String, salt: String, info: String, output: String) throws {
        let derived = try HKDF.derive(Secret(bytes(key)), salt: bytes(salt), info: bytes(info), count: 42)
        #expect(hex(derived.reveal()) == output)
        let shorter = try HKDF.derive(Secret(bytes(key)), salt: bytes(salt), info: bytes(info), count: 5)
        #expect(hex(shorter.reveal()) == output.prefix(10))
    }

    @Test func `HKDF gives other keys for other names, and none of nothing`() throws {
        let seed = Secret(RandomBytes.fill(32))
        let one = try HKDF.derive(seed, info: Array("one".utf8), count: 32)
        let other = try HKDF.derive(seed, info: Array("other".utf8), count: 32)
        #expect(one.reveal() != other.reveal())
        #expect(try HKDF.derive(seed, info: [], count: 255 * 32).count == 8160)
        #expect(throws: CryptoRefusal.secretTooShort) { try HKDF.derive(Secret([]), info: [], count: 32) }
        for count in [Int.min, -1, 0, 8161, Int.max] {
            #expect(throws: CryptoRefusal.keyLength) { try HKDF.derive(seed, info: [], count: count) }
        }
    }

    @Test(arguments: [0, 1, 55, 64, 1000])
    func `HKDF is HMAC over and over, whatever the name's length`(infoCount: Int) throws {
        let (seed, salt, info) = (RandomBytes.fill(32), RandomBytes.fill(32), RandomBytes.fill(infoCount))
        let expanding = try MAC(.sha256, key: Secret(MAC(.sha256, key: Secret(salt)).authenticate(seed.span)))
        var (expected, block): ([UInt8], [UInt8]) = ([], [])
        for counter in UInt8(1)...3 {
            let input = block + info + [counter]
            block = expanding.authenticate(input.span)
            expected += block
        }
        for count in [1, 31, 32, 33, 64, 65, 96] {
            let found = try HKDF.derive(Secret(seed), salt: salt, info: info, count: count).reveal()
            #expect(found == Array(expected.prefix(count)))
        }
        #expect(OpenSSLErrors.isEmpty)
    }

    // Made by Python's `hmac`, of bytes that count up.
    @Test(arguments: [
        (
            0,
            "25d344609494b8993b62b1b70e1b3f59a8fb1123223131348663b204e60b50af1914ac3962392417"
        ),
        (
            1,
            "5a25a838e2791df9438395cb9654a53e9f8c181e301ad45f19797367822704e0d6179866218a90d1"
        ),
        (
            63,
            "c5d061aac4e1cac129c3e66b95b41c1d22e6b05d64a56d3adfd10b3be9181c6d28c1b148ab3627dd"
        ),
        (
            64,
            "8a77d21613a32851b981fd6ab11b877308eb88f4e44270522ab3ef8c77ff3d53b3a6d011a65695ed"
        ),
        (
            65,
            "0093a8941711ec48caaf9ac6cabf3f2a935bdcfae30b33f496fb974040a3e0fecada1bcee60cd7a3"
        ),
        (
            5000,
            "4a6b065caee5070b58b8d636b7849f5dda82956b11a82c081b7914c646b07636667c83b08bd8fc8b"
        ),
    ])
    func `HKDF takes a secret, a salt and a name of any length`(count: Int, output: String) throws {
        let counted = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let derived = try HKDF.derive(Secret([0x61] + counted), salt: counted, info: counted, count: 40)
        #expect(hex(derived.reveal()) == output)
    }

    @Test(arguments: [1, 2, 31, 32, 33, 64])
    func `Concat KDF is SHA-256 of a counter, the secret and the information`(count: Int) throws {
        let (secret, info) = (RandomBytes.fill(66), RandomBytes.fill(40))
        var expected: [UInt8] = []
        for counter in [UInt8(1), 2] {
            let input = [0, 0, 0, counter] + secret + info
            expected += HashFunction.sha256.hash(input.span)
        }
        let found = try ConcatKDF.derive(Secret(secret), info: info.span, count: count).reveal()
        #expect(found == Array(expected.prefix(count)))
        #expect(throws: CryptoRefusal.secretTooShort) {
            try ConcatKDF.derive(Secret([]), info: info.span, count: count)
        }
        #expect(OpenSSLErrors.isEmpty)
    }

    @Test func `Concat KDF gives the key of RFC 7518 appendix C`() throws {
        let secret = Secret(bytes("9e56d91d817135d372834283bf84269cfb316ea3da806a48f6daa7798cfe90c4"))
        func prefixed(_ text: String) -> [UInt8] { [0, 0, 0, UInt8(text.utf8.count)] + Array(text.utf8) }
        let info = prefixed("A128GCM") + prefixed("Alice") + prefixed("Bob") + [0, 0, 0, 128]
        let key = try ConcatKDF.derive(secret, info: info.span, count: 16).reveal()
        #expect(Base64URL.encode(key.span) == "VqqN6vgjbSBcIijNcacQGg")
        let longer = try ConcatKDF.derive(secret, info: info.span, count: 64).reveal()
        #expect(longer.count == 64)
        #expect(longer.starts(with: key))
        for count in [-1, 0, 65] {
            #expect(throws: CryptoRefusal.keyLength) { try ConcatKDF.derive(secret, info: info.span, count: count) }
        }
    }

    // RFC 3394 §4.1, §4.3 and §4.6.
    @Test(
        .holds("JOSE-22"), .refuses("JOSE-22"),
        arguments: [
            (
                "000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff",
                "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5"
            ),
            (
                "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "00112233445566778899aabbccddeeff",
                "64e8c3f9ce0f5ba263e9777905818a2a93c8191e7d6e8ae7"
            ),
            (
                "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
                "00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f",
                "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21"
            ),
        ])
    func `a key is wrapped as RFC 3394 prints it`(wrapping: String, key: String, wrapped: String) throws {
        let secret = Secret(bytes(wrapping)), output = bytes(wrapped)
        #expect(hex(try KeyWrap.wrap(Secret(bytes(key)), with: secret)) == wrapped)
        #expect(unwrap(output, secret) == bytes(key))
        for index in output.indices {
            var touched = output
            touched[index] ^= 1
            #expect(unwrap(touched, secret) == nil)
            let prefix = Array(output.prefix(index))
            #expect(unwrap(prefix, secret) == nil)
        }
        #expect(unwrap(output, Secret(RandomBytes.fill(secret.count))) == nil)
        #expect(OpenSSLErrors.isEmpty)
    }

    @Test(.refuses("JOSE-22")) func `a key of another length is not wrapped`() {
        for (key, wrapping) in [(8, 16), (17, 16), (1032, 16), (16, 15), (16, 0), (0, 16)] {
            #expect(throws: CryptoRefusal.keyLength) {
                try KeyWrap.wrap(Secret(zeros(key)), with: Secret(zeros(wrapping)))
            }
            let input = zeros(key + 8)
            #expect(unwrap(input, Secret(zeros(wrapping))) == nil)
        }
    }
}
