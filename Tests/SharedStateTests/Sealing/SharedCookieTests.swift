import Crypto
import Sessions
import TestSupport
import TestTraits
import Testing

@testable import SharedState

@Suite struct `the cookie of a session in the store` {
    private let letters = Set((UInt8(ascii: "0")...UInt8(ascii: "z")).filter { $0 != 0x60 } + "-".bytes)
        .subtracting(":;<=>?@[\\]^".bytes)

    private func read(_ text: [UInt8]) -> SharedCookie? { SharedCookie(text.span) }

    @Test func `is 64 characters, and is read as it was written`() throws {
        let session = Sample.session()
        let cookie = try Sample.cookie(of: session)
        let text = cookie.text
        #expect(text.count == 64)
        #expect(text.allSatisfy { byte in letters.contains(byte) })
        let other = try #require(read(text))
        #expect(other.id == session.id)
        #expect(other.secret.reveal() == cookie.secret.reveal())
    }

    @Test func `is none that is shorter, longer, or not base64url`() throws {
        let text = try Sample.cookie(of: Sample.session()).text
        for start in everyStart(of: text) { #expect(read(start) == nil) }
        #expect(read(text + "A".bytes) == nil)
        #expect(read(text + text) == nil)
        for letter in ["+", "/", "=", " ", ".", "\u{0}"] {
            #expect(read(Array(text.dropLast()) + letter.bytes) == nil)
        }
    }

    @Test func `has an identifier of 16 bytes and a secret of 32, and no others`() {
        #expect(SharedCookie(id: [UInt8](repeating: 1, count: 15), secret: Sample.key()) == nil)
        #expect(SharedCookie(id: [UInt8](repeating: 1, count: 16), secret: Secret([1])) == nil)
    }

    @Test func `prints no secret`() throws {
        let cookie = try Sample.cookie(of: Sample.session())
        #expect(!"\(cookie)".contains("\(cookie.secret.reveal())"))
        #expect("\(cookie)".contains("[secret]"))
    }
}
