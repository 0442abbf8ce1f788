import Bytes
public import Crypto
import JOSE
import JSON

/// Makes DPoP proofs by one key: for our own tokens at their server, and for presenting them elsewhere (RFC 9449 §4.2).
///
/// Prints and mirrors as `[proof maker]`.
public struct ProofMaker: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The key's RFC 7638 thumbprint in base64url: `dpop_jkt` of the authorization request (DPOP-44).
    public let thumbprint: String

    private let key: PrivateKey
    /// The header in base64url, with its dot: the same in every proof.
    private let header: [UInt8]

    /// A maker of ES256 proofs.
    ///
    /// - Throws: `.algorithmMismatch` for a key that is not on P-256.
    public init(key: PrivateKey) throws(SigningRefusal) {
        guard case .ellipticCurve(.p256, let x, let y) = key.publicNumbers else { throw .algorithmMismatch }
        self.key = key
        thumbprint = try SigningJWK(key, algorithm: .es256).published.thumbprint.base64URL
        var writer = JSONWriter()
        writer.beginObject()
        for (name, value) in [("typ", "dpop+jwt"), ("alg", "ES256")] {
            writer.name(name)
            writer.string(value)
        }
        // The key and nothing beside it: servers hash these members, and refuse private ones.
        writer.name("jwk")
        writer.beginObject()
        for (name, value) in [
            ("kty", "EC"), ("crv", "P-256"), ("x", Base64URL.encode(x.span)), ("y", Base64URL.encode(y.span)),
        ] {
            writer.name(name)
            writer.string(value)
        }
        writer.endObject()
        writer.endObject()
        var header: [UInt8] = []
        Base64URL.append(writer.bytes.span, to: &header)
        header.append(UInt8(ascii: "."))
        self.header = header
    }

    /// A proof for one request; another one, a repetition included, needs another (DPOP-40, DPOP-45).
    ///
    /// - Parameters:
    ///   - method: the request's, in capitals.
    ///   - url: the request's; query and fragment are left out.
    ///   - nonce: the newest of the server asked, where it gave one.
    ///   - accessToken: the one presented beside the proof; none at the token endpoint.
    ///   - now: seconds since 1970.
    ///   - identifier: at least 12 random bytes that were never used before; fewer are `.libraryFailed`.
    public func proof(
        method: String, url: String, nonce: String?, accessToken: Span<UInt8>?, now: Int64, identifier: [UInt8]
    ) throws(SigningRefusal) -> [UInt8] {
        // A proof whose identifier comes again is refused, or lets somebody else's be (RFC 9449 §4.2).
        guard identifier.count >= 12 else { throw .libraryFailed }
        let target = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("jti")
        writer.string(Base64URL.encode(identifier.span))
        writer.name("htm")
        writer.string(method)
        writer.name("htu")
        writer.string(String(decoding: Array(target), as: UTF8.self))
        writer.name("iat")
        writer.integer(now)
        if let accessToken {
            writer.name("ath")
            writer.string(SHA256.hash(accessToken).base64URL)
        }
        if let nonce {
            writer.name("nonce")
            writer.string(nonce)
        }
        writer.endObject()
        var proof = header
        Base64URL.append(writer.bytes.span, to: &proof)
        let signature = try key.sign(proof.span, by: SignatureAlgorithm.es256.scheme)
        proof.append(UInt8(ascii: "."))
        Base64URL.append(signature.span, to: &proof)
        return proof
    }

    /// `[proof maker]`.
    public var description: String { "[proof maker]" }

    /// `[proof maker]`.
    public var debugDescription: String { "[proof maker]" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: nil) }
}
