import Bytes
import JOSE
import JSON

/// A compact JWS, and whether published keys verify what nobody has signed.
///
/// Three lines stand for header, claims and signature before they are encoded, so that a mutation need not be
/// base64url; anything else is a token as it is.
enum JWSFuzzer {
    static let maximumBytes = 16 * 1024

    static func attempt(_ input: [UInt8]) -> Outcome {
        let token = DecodedParts.token(input)
        let jws: CompactJWS
        do throws(JOSERefusal) {
            jws = try CompactJWS.parse(token.span, maximumBytes: maximumBytes)
        } catch {
            hold(refusal(of: token) == error, "the same token is refused for the same reason")
            return .refused
        }
        hold(jws.bytes == token, "a token is kept as it came")
        let signed = Array(token[..<jws.signingInputCount])
        var encoded = signed + [UInt8(ascii: ".")]
        Base64URL.append(jws.signature.span, to: &encoded)
        hold(encoded == token, "a signature has one spelling")
        checkClaims(token)
        // These keys have seen every token before this one: that must make no difference.
        let verified = verify(jws, published.keys)
        hold(verified == verify(jws, VerificationKeys(published.set)), "fresh keys judge as used ones do")
        guard verified else { return .refused }
        hold(known.contain(token), "nothing verifies but what the key's owner signed")
        return .accepted
    }

    private static func refusal(of token: [UInt8]) -> JOSERefusal? {
        do throws(JOSERefusal) {
            _ = try CompactJWS.parse(token.span, maximumBytes: maximumBytes)
            return nil
        } catch {
            return error
        }
    }

    private static func checkClaims(_ token: [UInt8]) {
        let first = try? UncheckedJWT.parse(token.span, maximumBytes: maximumBytes)
        let second = try? UncheckedJWT.parse(token.span, maximumBytes: maximumBytes)
        hold(first?.unverifiedIssuer == second?.unverifiedIssuer, "the same token names the same issuer")
        hold(first?.claims.kind ?? .object == .object, "claims are an object")
    }

    private static func verify(_ jws: CompactJWS, _ keys: VerificationKeys) -> Bool {
        (try? keys.verify(jws, algorithms: [.rs256, .es256, .edDSA])) != nil
    }

    /// The keys of RFC 7515 appendices A.2 and A.3 and of RFC 8037 appendix A.2.
    nonisolated(unsafe) static let published = KnownKeys(
        """
        {"keys":[{"kty":"RSA","e":"AQAB","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4q\
        PCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5\
        z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF\
        8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"},{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1\
        gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},{"kty":"OKP","crv":"Ed25519","x":"1\
        1qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}
        """)
    private static let known = SignedSeeds("jws")
}

/// A compact token written as its parts before encoding, a line each.
enum DecodedParts {
    /// The token that three lines stand for, or as many as a token has segments, or the input itself.
    static func token(_ input: [UInt8]) -> [UInt8] { token(input, segments: 3) }

    static func token(_ input: [UInt8], segments: Int) -> [UInt8] {
        let lines = input.split(
            separator: UInt8(ascii: "\n"), maxSplits: segments - 1, omittingEmptySubsequences: false)
        guard lines.count == segments else { return input }
        var token: [UInt8] = []
        for (number, line) in lines.enumerated() {
            if number > 0 { token.append(UInt8(ascii: ".")) }
            let part = Array(line)
            Base64URL.append(part.span, to: &token)
        }
        return token
    }
}
