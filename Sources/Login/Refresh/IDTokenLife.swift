import Crypto
import JOSE
import JSON
package import Sessions

/// How long the ID token of a session is good, by its own claims: it was verified when it came.
package struct IDTokenLife {
    /// `exp`, in seconds since 1970.
    let end: Int64
    /// From `iat` to `exp`; a time that no clock has makes it 0.
    let seconds: Int64

    init?(_ session: Session) {
        guard let token = session.idToken?.reveal(),
            let jws = try? CompactJWS.parse(token.span, maximumBytes: 64 * 1024),
            let claims = try? JSONValue.parse(jws.payload.span, limits: .filled(to: jws.payload.count)),
            let end = claims["exp"].flatMap({ NumericDate($0) })?.floor
        else { return nil }
        let start = claims["iat"].flatMap { NumericDate($0) }?.floor ?? end
        self.end = end
        seconds = max(0, end - start)
    }

    /// When the ID token of a session is over, in seconds since 1970; 0 where it has none.
    package static func end(of session: Session) -> Int64 { IDTokenLife(session)?.end ?? 0 }
}
