import Bytes
import Crypto
import JOSE
import JSON

extension ClientCredentials {
    /// What `aud` says: one string, never a list, so that no second server could be meant (CA-06).
    func audience(
        issuer: String, endpoint: String, tokenEndpoint: String?
    ) throws(ClientAuthenticationRefusal) -> String {
        switch assertionAudience {
        case .issuer: return issuer
        case .endpoint: return endpoint
        case .tokenEndpoint:
            guard let tokenEndpoint else { throw .tokenEndpointUnknown }
            return tokenEndpoint
        }
    }

    /// The JWT that stands for the client (RFC 7523 §3).
    func assertion(
        audience: String, now: Int64, randomness: [UInt8]
    ) throws(ClientAuthenticationRefusal) -> [UInt8] {
        guard randomness.count >= 16 else { throw .randomnessTooShort }
        let claims = claims(audience: audience, now: now, randomness: randomness)
        let type = assertionType.rawValue
        do throws(SigningRefusal) {
            switch method {
            case .privateKeyJWT(let key): return try CompactJWS.sign(claims.span, type: type, by: key)
            case .secretJWT(let algorithm, let secret):
                guard let key = try? algorithm.key(secret) else { throw .libraryFailed }
                return CompactJWS.authenticate(claims.span, type: type, algorithm, key)
            case .secretBasic, .secretPost, .tls, .selfSignedTLS, .publicClient: return []
            }
        } catch {
            throw .notSigned(error)
        }
    }

    /// `iss` and `sub` are the client itself; `nbf` lies a little back, for servers whose clock does.
    private func claims(audience: String, now: Int64, randomness: [UInt8]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        for (name, value) in [
            ("iss", clientID), ("sub", clientID), ("aud", audience), ("jti", Base64URL.encode(randomness.span)),
        ] {
            writer.name(name)
            writer.string(value)
        }
        for (name, seconds) in [
            ("iat", now), ("nbf", now - Self.clockDifferenceSeconds),
            ("exp", now + Int64(assertionLifetime.wholeSeconds)),
        ] {
            writer.name(name)
            writer.integer(seconds)
        }
        writer.endObject()
        return writer.bytes
    }

    /// A server that allows none refused one assertion in some hundred whose `nbf` was the second it was made in.
    private static let clockDifferenceSeconds: Int64 = 2
}
