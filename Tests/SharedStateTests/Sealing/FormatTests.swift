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
    private static let first = """
        01e70fca9b000102030405060708090a0bbfb1572f615bce569acde2178f973c61c5ccc72fd55c8659214be64b171ad27795\
        c3c8fba603d6096acbe9a5ffe99f193ac6691744ad12ddcd7b8bd1c944f21f459da2204e530ed9f3ea5f7388cd08aabfb8f4\
        1d35c4ed569e58f3957936e216f7c3501e0859cc729ac7a3269061fa8c16776442614b1fd1e6c143bea50c098be20d6051bb\
        e178c29209b99b635030b937f6eea553c480a70960510a96190603862ca01b95a995555622e1f462be9d643be0c17f651689\
        e3d7ec7af31dfb2a8a155c51839d30b22eb3011608eb8d49a5a9709d12f25f1f8a6e2f2bbdec9d
        """
    private static let second = """
        02e70fca9b000102030405060708090a0b8b3bd64e904e50a290ad0611c7168666344612f87fa211bb15e957a522c26d66f7\
        e70ed5169d76b635cb08ea912175718df5497a1ded13cae1e7154226342a4505c24da377bb695495432e56eaa0f4ffa4fca8\
        b8ff8f12924bfdbd8ce919d24044665d15145c75659ccfe029b74f08603f40cda40f7e2c9f7823ab1f657e25772ca5ec41eb\
        6aba34c632de9c5ad10c838929707622fc2b808872a77bf3c79e6de1bb51b353b9fe78dbb75274c9d49a4b2e47adef967d1a\
        9d149072fd29b9b1e957415a1dd06820275f96687acd5e34a40e69982e9a240ba8204be78c8435
        """
    private let id = [UInt8](repeating: 9, count: 16)
    private let secret = Secret((100..<132).map { UInt8($0) })

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    @Test(.holds("SH-22", "SH-50", "SH-26"), arguments: zip(StoreFormat.allCases, [first, second]))
    func `is the one that is written down`(format: StoreFormat, value: String) throws {
        let session = try #require(SessionCodec.decode(Self.bytes(Self.fields), client: "shop"))
        let name = try Sample.names().session(id)
        #expect(String(decoding: name.bytes, as: UTF8.self) == "pc:s:vofORiBeBmmnQ7fx90ZBUw")
        let seal = SessionSeal(ring: try Sample.ring(1), client: "shop", format: format)
        let sealed = try seal.seal(session, secret: secret, under: name, nonce: (0..<12).map { UInt8($0) })
        #expect(sealed == Self.bytes(value))
        let cookie = try #require(SharedCookie(id: id, secret: secret))
        for reader in StoreFormat.allCases {
            let seal = SessionSeal(ring: try Sample.ring(1), client: "shop", format: reader)
            let opened = seal.open(Self.bytes(value), for: cookie, under: name, generation: 0)
            #expect(opened.session?.subject == "alice", "each reads both, whichever it writes")
        }
    }

    @Test(.holds("SH-50")) func `has the names that are written down`() throws {
        let markers = try Sample.names().markers(client: "shop", issuer: "https://id.example/", subject: "alice")
        #expect(markers.map { String(decoding: $0.bytes, as: UTF8.self) } == ["pc:m:C2PV2Ig8e_PMQFcsb0LL6w"])
    }
}
