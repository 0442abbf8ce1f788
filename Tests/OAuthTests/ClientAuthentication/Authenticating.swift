import Bytes
import Crypto
import JOSE
import JSON
import OAuth
import TestSupport
import Testing

/// One server and one moment, and the reading of what is sent there.
enum Authenticating {
    static let issuer = "https://as.example/"
    static let endpoint = "https://as.example/introspect"
    static let tokenEndpoint = "https://as.example/token"
    static let now: Int64 = 1_800_000_000
    static let secret = "0123456789abcdef0123456789abcdef"

    static func randomness(_ seed: UInt8 = 1) -> [UInt8] { [UInt8](repeating: seed, count: 16) }

    static func key(_ key: SigningKey = .p256, _ algorithm: SignatureAlgorithm? = nil) throws -> SigningJWK {
        try key.signer(algorithm)
    }

    static func secret(_ text: String) -> Secret { Secret(Array(text.utf8)) }

    /// Every method, with credentials that are fine.
    static func methods() throws -> [ClientCredentials.Method] {
        [
            .secretBasic(secret(secret)), .secretPost(secret(secret)), .secretJWT(.hs256, secret(secret)),
            .privateKeyJWT(try key()), .tls(certificateFile: "/c.pem", keyFile: "/k.pem"),
            .selfSignedTLS(certificateFile: "/c.pem", keyFile: "/k.pem"),
        ]
    }
}

extension ClientCredentials {
    func ask(
        _ parameters: [(String, String)] = [("token", "t")], tokenEndpoint: String? = Authenticating.tokenEndpoint,
        now: Int64 = Authenticating.now, randomness: [UInt8] = Authenticating.randomness()
    ) throws(ClientAuthenticationRefusal) -> AuthenticatedForm {
        try authenticate(
            parameters, issuer: Authenticating.issuer, endpoint: Authenticating.endpoint, tokenEndpoint: tokenEndpoint,
            now: now, randomness: randomness)
    }
}

extension AuthenticatedForm {
    /// The form as any server reads it: names and values, percent-decoded, in order.
    var parameters: [(name: String, value: String)] {
        body.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { part in
            let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decode(sides[0]), sides.count == 2 ? Self.decode(sides[1]) : "")
        }
    }

    func values(_ name: String) -> [String] { parameters.filter { $0.name == name }.map(\.value) }

    func header(_ name: String) -> [String] { headers.filter { $0.0 == name }.map(\.1) }

    /// The one assertion in the form, taken apart.
    func assertion() throws -> UncheckedJWT {
        let found = values("client_assertion")
        try #require(found.count == 1)
        let bytes = Array(found[0].utf8)
        return try UncheckedJWT.parse(bytes.span, maximumBytes: 16_384)
    }

    private static func decode(_ text: ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        var index = text.startIndex
        while index < text.endIndex {
            if text[index] == UInt8(ascii: "%"), index + 2 < text.endIndex,
                let high = ASCII.hexValue(text[index + 1]), let low = ASCII.hexValue(text[index + 2])
            {
                bytes.append(high << 4 | low)
                index += 3
                continue
            }
            bytes.append(text[index] == UInt8(ascii: "+") ? 0x20 : text[index])
            index += 1
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
