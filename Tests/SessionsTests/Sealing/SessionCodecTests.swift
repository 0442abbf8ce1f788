import Bytes
import Crypto
import TestSupport
import TestTraits
import Testing

@testable import Sessions

@Suite struct `a session as bytes` {
    /// A session of anything at all.
    private func random(_ dice: inout Dice) -> Session {
        func text(_ dice: inout Dice) -> String {
            String((0..<Int(dice.next() % 30)).map { _ in "aä€😀\u{0}\"\r\n .-_".randomElement(using: &dice) ?? "x" })
        }
        func time(_ dice: inout Dice) -> Int64 {
            [0, -1, .max, .min, 1_800_000_000, Int64(bitPattern: dice.next())].randomElement(using: &dice) ?? 0
        }
        func token(_ dice: inout Dice) -> Secret? {
            let count = Int(dice.next() % 200)
            switch dice.next() % 5 {
            case 0: return nil
            case 1: return Secret(dice.bytes(count))
            case 2: return Secret(Array(".....".utf8.prefix(count % 7)))
            default:
                let segments = (0..<Int(1 + dice.next() % 6)).map { _ in Base64URL.encode(dice.bytes(count % 40).span) }
                return Secret(Array(segments.joined(separator: ".").utf8))
            }
        }
        var session = Session(
            id: dice.bytes(16), client: "shop", issuer: text(&dice), subject: text(&dice),
            claims: dice.bytes(Int(dice.next() % 100)), scopes: (0..<Int(dice.next() % 5)).map { _ in text(&dice) },
            createdAt: time(&dice), endsAt: time(&dice))
        session.seenAt = time(&dice)
        session.serverSession = dice.next() % 2 == 0 ? text(&dice) : nil
        session.accessToken = token(&dice)
        session.accessTokenIssuedAt = time(&dice)
        session.accessTokenExpiresAt = time(&dice)
        session.proofKey = dice.next() % 2 == 0 ? Secret(dice.bytes(32)) : nil
        session.refreshToken = token(&dice)
        session.idToken = token(&dice)
        session.nonceDigest = dice.next() % 2 == 0 ? dice.bytes(16) : nil
        session.generation = UInt32(truncatingIfNeeded: dice.next())
        session.isConfirmed = dice.next() % 2 == 0
        return session
    }

    @Test func `is read as it was written, whatever it holds`() throws {
        var dice = Dice(3)
        for _ in 0..<1500 {
            let session = random(&dice)
            let read = try #require(SessionCodec.decode(SessionCodec.encode(session), client: "shop"))
            #expect(read.image == session.image)
        }
    }

    @Test func `is refused when it is cut anywhere or goes on`() {
        let bytes = SessionCodec.encode(Sample.session(accessToken: 100, idToken: 100))
        for cut in everyStart(of: bytes) { #expect(SessionCodec.decode(cut, client: "shop") == nil) }
        #expect(SessionCodec.decode(bytes + [0], client: "shop") == nil)
        #expect(SessionCodec.decode([], client: "shop") == nil)
    }

    @Test func `is a session or refused, and never a trap, whatever the bytes are`() {
        var dice = Dice(4)
        let whole = SessionCodec.encode(Sample.session(accessToken: 100, idToken: 100))
        for _ in 0..<4000 {
            var bytes = whole
            for _ in 0...Int(dice.next() % 4) {
                bytes[Int(dice.next() % UInt64(bytes.count))] =
                    [0, 0x7f, 0x80, 0xff, UInt8(dice.next() & 255)][
                        Int(dice.next() % 5)]
            }
            if let session = SessionCodec.decode(bytes, client: "shop") {
                let again = SessionCodec.decode(SessionCodec.encode(session), client: "shop")
                #expect(again?.image == session.image)
            }
            _ = SessionCodec.decode(dice.bytes(Int(dice.next() % 80)), client: "shop")
        }
    }

    @Test func `has no number beyond 64 bits, and no length beyond what is there`() throws {
        var reader = FieldReader([UInt8](repeating: 0xff, count: 9) + [0x01])
        #expect(try reader.number() == .max)
        for bytes in [
            [UInt8](repeating: 0xff, count: 9) + [0x02], [UInt8](repeating: 0x80, count: 11), [0x80], [],
        ] {
            #expect(throws: Malformed.self) {
                var reader = FieldReader(bytes)
                _ = try reader.number()
            }
        }
        for length in [[UInt8](repeating: 0xff, count: 9) + [0x01], [0x02], [0xff, 0xff, 0xff, 0xff, 0x0f]] {
            #expect(throws: Malformed.self) {
                var reader = FieldReader(length + [0x41])
                _ = try reader.block()
            }
            #expect(throws: Malformed.self) {
                var reader = FieldReader(length + [0x00])
                _ = try reader.texts()
            }
        }
        #expect(throws: Malformed.self) {
            var reader = FieldReader([2, 0xc3, 0x28])
            _ = try reader.text()
        }
    }

    @Test(.holds("SC-07")) func `takes a quarter less for tokens in base64url than they are long`() {
        let small = SessionCodec.encode(Sample.session())
        let large = SessionCodec.encode(Sample.session(accessToken: 1200))
        #expect(large.count - small.count < 920)
    }
}
