import Testing

@testable import Crypto

@Suite struct `the bytes of a secret` {
    @Test(arguments: [0, 1, 15, 16, 4096]) func `are zeros when they are overwritten`(count: Int) {
        var bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 | 1) }
        SecretBytes.overwrite(&bytes)
        #expect(bytes == [UInt8](repeating: 0, count: count))
    }

    // Overwriting what an array elsewhere still shows would sign and decrypt with zeros.
    @Test func `stay as they are in an array that outlives the secret`() {
        let original = RandomBytes.fill(64)
        let expected = original.map { $0 ^ 0x55 }
        var secret: Secret? = Secret(original)
        let revealed = secret?.reveal()
        secret = nil
        #expect(revealed?.map { $0 ^ 0x55 } == expected)
        #expect(original.map { $0 ^ 0x55 } == expected)
    }

    @Test func `are there as long as one copy of the secret is`() {
        let expected = RandomBytes.fill(32).map { $0 | 1 }
        var copy: Secret?
        do {
            let secret = Secret(expected.map { $0 })
            copy = secret
        }
        #expect(copy?.reveal() == expected)
        #expect(copy?.count == 32)
    }
}
