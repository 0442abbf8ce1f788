import Crypto
import JOSE
import JSON
import TestSupport
import TestTraits
import Testing

private let rest = ".AAAA.AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA"

private func secret() throws -> DecryptionSecret {
    try DecryptionSecret(Secret(RandomBytes.fill(16)), algorithm: "A128KW")
}

private func isJWE(_ token: String) -> Bool {
    let bytes = Array(token.utf8)
    return CompactJWE.isJWE(bytes.span)
}

/// Why a token with this header is refused.
private func refusal(header: String) throws -> JWERefusal? {
    refusal(decrypting: base64URL(header) + rest, [], secrets: [try secret()])
}

@Suite struct `an encrypted token's header` {
    @Test(
        .refuses("JOSE-22"),
        arguments: [
            ("[]", JWERefusal.headerNotObject), ("{", .headerNotJSON(.unexpectedEnd)),
            (#"{"enc":"A128GCM"}"#, .parameterInvalid("alg")),
            (#"{"alg":1,"enc":"A128GCM"}"#, .parameterInvalid("alg")),
            (#"{"alg":"A128KW"}"#, .parameterInvalid("enc")), (#"{"alg":"A128KW","enc":[]}"#, .parameterInvalid("enc")),
            (#"{"alg":"A128KW","enc":"A128GCM","kid":1}"#, .parameterInvalid("kid")),
            (#"{"alg":"A128KW","enc":"A128GCM","cty":{}}"#, .parameterInvalid("cty")),
            (#"{"alg":"A128KW","enc":"A128GCM","typ":1}"#, .parameterInvalid("typ")),
            (#"{"alg":"A128KW","enc":"A128GCM","apu":"="}"#, .parameterInvalid("apu")),
            (#"{"alg":"A128KW","enc":"A128GCM","apv":1}"#, .parameterInvalid("apv")),
            (#"{"alg":"A128KW","enc":"A128GCM","crit":[]}"#, .criticalInvalid),
            (#"{"alg":"A128KW","enc":"A128GCM","crit":["enc"]}"#, .criticalInvalid),
            (#"{"alg":"A128KW","enc":"A128GCM","crit":["exp"],"exp":1}"#, .criticalNotUnderstood),
        ])
    func `with a member that is no such thing is refused`(header: String, expected: JWERefusal) throws {
        #expect(try refusal(header: header) == expected)
    }

    @Test(.refuses("JOSE-04")) func `with a name said twice is refused`() throws {
        let refused = try refusal(header: #"{"alg":"A128KW","enc":"A128GCM","alg":"dir"}"#)
        #expect(refused == .headerNotJSON(.duplicateMember))
    }

    @Test(.refuses("JOSE-14")) func `with a kid of more than 256 bytes is refused`() throws {
        func header(_ count: Int) -> String {
            #"{"alg":"A128KW","enc":"A128GCM","kid":"\#(String(repeating: "k", count: count))"}"#
        }
        #expect(try refusal(header: header(256)) == .notDecrypted)
        #expect(try refusal(header: header(257)) == .parameterInvalid("kid"))
    }

    @Test(.refuses("JOSE-26"))
    func `is refused above 4 KiB, and the token above the caller's limit, before it is decoded`() throws {
        let filling = String(repeating: "x", count: 5000)
        #expect(try refusal(header: #"{"alg":"A128KW","enc":"A128GCM","x":"\#(filling)"}"#) == .headerTooLarge)
        let token = base64URL(#"{"alg":"A128KW","enc":"A128GCM"}"#) + rest
        let secret = try secret()
        let count = token.utf8.count
        #expect(refusal(decrypting: token, [], secrets: [secret], maximumBytes: count) == .notDecrypted)
        #expect(refusal(decrypting: token, [], secrets: [secret], maximumBytes: count - 1) == .tooLarge)
        #expect(refusal(decrypting: String(repeating: "!", count: 50), [], maximumBytes: 49) == .tooLarge)
    }

    @Test(.holds("JOSE-01"), .refuses("JOSE-01")) func `is of a token of five segments, or it is none`() throws {
        let header = base64URL(#"{"alg":"A128KW","enc":"A128GCM"}"#)
        let secret = try secret()
        for count in [0, 1, 2, 3, 4, 6, 7] {
            let token = ([header] + [String](repeating: "AAAA", count: count)).joined(separator: ".")
            let expected: JWERefusal? = count == 4 ? .notDecrypted : .notCompact
            #expect(refusal(decrypting: token, [], secrets: [secret]) == expected)
            #expect(isJWE(token) == (count == 4))
        }
        #expect(!isJWE(""))
    }

    @Test(.refuses("JOSE-02")) func `every other segment has one spelling`() throws {
        let vector = RFC7520DecryptionVectors.wrap
        let (_, secrets) = try vector.keys()
        for segment in 0..<5 {
            for filling in ["=", " ", "\n", "+"] {
                var segments = vector.compact.split(separator: ".").map(String.init)
                segments[segment] += filling
                let token = segments.joined(separator: ".")
                #expect(refusal(decrypting: token, [], secrets: secrets) == .notBase64URL)
            }
        }
    }
}
