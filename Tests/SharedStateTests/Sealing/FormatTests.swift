import Bytes
import Crypto
import Sessions
import TestTraits
import Testing

@testable import SharedState

/// What another implementation of HKDF, AES-GCM and HMAC makes of the same inputs: pyca/cryptography 38.
///
/// A change of these bytes is a change of the format: what lies in a store would not open any more.
@Suite struct `the format of the shared store` {
    private static let fields = """
        1f10090909090909090909090909090909091368747470733a2f2f69642e6578616d706c652f05616c6963652b7b22697373\
        223a2268747470733a2f2f69642e6578616d706c652f222c22737562223a22616c696365227d01066f70656e696480c8ceb4\
        0d0080c203000003732d31030f9249f8c9b459d0b2344d76c46dce2b0fb8bce1c837f8cbdb065b5bcce2fd600f8731c55d8a\
        ac68bffb16b8127443a6d8042007070707070707070707070707070707070707070707070707070707070707070009726566\
        726573682d30
        """
    private static let value = """
        01e70fca9b000102030405060708090a0bbfb1572f615bce569acde2178f973c61c5ccc72fd55c8659214be64b171ad27795\
        c3c8fba603d6096acbe9a5ffe99f193ac6691744ad12ddcd7b8bd1c944f21f459da2204e530ed9f3ea5f7388cd08aabfb8f4\
        1d35c4ed569e58f3957936e216f7c3501e0859cc729ac7a3269061fa8c16776442614b1fd1e6c143bea50c098be20d6051bb\
        e178c29209b99b635030b937f6eea553c480a70960510a96190603862ca01b95a995555622e1f462be9d643be0c17f651689\
        e3d7ec7af31dfb2a8a155c51839d30b22eb3011608eb8d49a5a9709d12f25f1f8a6e2f2bbdec9d
        """
    private let id = [UInt8](repeating: 9, count: 16)
    private let secret = Secret((100..<132).map { UInt8($0) })

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    @Test(.holds("SH-22", "SH-50")) func `is the one that is written down`() throws {
        let session = try #require(SessionCodec.decode(Self.bytes(Self.fields), client: "shop"))
        let name = try Sample.names().session(id)
        #expect(String(decoding: name.bytes, as: UTF8.self) == "pc:s:vofORiBeBmmnQ7fx90ZBUw")
        let seal = SessionSeal(ring: try Sample.ring(1), client: "shop")
        let value = try seal.seal(session, secret: secret, under: name, nonce: (0..<12).map { UInt8($0) })
        #expect(value == Self.bytes(Self.value))
        let cookie = try #require(SharedCookie(id: id, secret: secret))
        let opened = seal.open(Self.bytes(Self.value), for: cookie, under: name, generation: 0)
        #expect(opened.session?.subject == "alice")
    }

    @Test(.holds("SH-50")) func `has the names that are written down`() throws {
        let markers = try Sample.names().markers(client: "shop", issuer: "https://id.example/", subject: "alice")
        #expect(markers.map { String(decoding: $0.bytes, as: UTF8.self) } == ["pc:m:C2PV2Ig8e_PMQFcsb0LL6w"])
    }
}
