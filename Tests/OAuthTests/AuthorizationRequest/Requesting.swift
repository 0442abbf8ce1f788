import Bytes
import Crypto
import HTTPMessage
import JOSE
import JSON
import OAuth
import TestSupport
import Testing

/// One client at one server and one moment, and the reading of what is sent there.
enum Requesting {
    static let issuer = "https://tenant.example/"
    static let endpoint = "https://tenant.example/authorize"
    static let clientID = "s6BhdRkqt3"
    static let redirectURI = "https://shop.example/.portcullis/callback/shop"
    static let now: Int64 = 1_800_000_000
    static let identifier = "AAECAwQFBgcICQoLDA0ODw"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    static func json(_ text: String) throws -> JSONValue {
        let bytes = Array(text.utf8)
        return try JSONValue.parse(bytes.span)
    }

    static func parameters(
        _ settings: AuthorizationRequestSettings = AuthorizationRequestSettings(), state: String = "the-state",
        nonce: String = "the-nonce", proofThumbprint: String? = nil, stepUp: StepUp? = nil
    ) -> AuthorizationParameters {
        AuthorizationParameters(
            settings: settings, clientID: clientID, redirectURI: redirectURI, state: state, nonce: nonce,
            challenge: challenge, proofThumbprint: proofThumbprint, stepUp: stepUp)
    }

    /// Settings with every optional parameter there is (CF-10).
    static func everything(form: AuthorizationRequestSettings.Form = .plain) throws -> AuthorizationRequestSettings {
        var settings = AuthorizationRequestSettings(
            form: form, responseMode: .formPost, scopes: ["openid", "orders:read"],
            resources: ["https://api.example/a", "https://api.example/b"], acrValues: ["gold", "silver"],
            maximumAge: 300, prompt: "consent")
        settings.audience = "legacy api"
        settings.authorizationDetails = try json(#"[{"type":"payment","amount":12.50}]"#)
        settings.uiLocales = "de en"
        settings.loginHint = "ü@example.com"
        settings.claims = try json(#"{"id_token":{"email":null}}"#)
        return settings
    }

    static func signer(_ key: SigningKey = .p256, _ algorithm: SignatureAlgorithm? = nil) throws -> SigningJWK {
        try key.signer(algorithm)
    }

    static func object(
        _ parameters: AuthorizationParameters = Requesting.parameters(), issuer: String = issuer,
        by key: SigningJWK? = nil, now: Int64 = now, identifier: String = identifier, to keys: [JWK] = []
    ) throws -> [UInt8] {
        try parameters.requestObject(
            issuer: issuer, signedBy: key ?? signer(), now: now, identifier: identifier, encryptionKeys: keys)
    }

    /// What is inside an object, its signature checked by `key` and its header returned.
    static func open(_ object: [UInt8], by key: SigningJWK? = nil) throws -> (header: JWSHeader, claims: JSONValue) {
        let key = try key ?? signer()
        let jws = try CompactJWS.parse(object.span, maximumBytes: 65_536)
        _ = try VerificationKeys(KeySet(keys: [key.published])).verify(jws, algorithms: [key.algorithm])
        return (jws.header, try JSONValue.parse(jws.payload.span))
    }

    static func answer(
        _ body: String, status: Int = 201, contentType: String? = "application/json"
    ) -> FetchResponse {
        FetchResponse(status: status, contentType: contentType, body: Array(body.utf8))
    }

    static func metadata(_ members: String = "", issuer: String = issuer) throws -> ServerMetadata {
        let body = """
            {"issuer":"\(issuer)","jwks_uri":"https://tenant.example/keys"\(members.isEmpty ? "" : ",")\(members)}
            """
        return try ServerMetadata.accept(
            FetchResponse(status: 200, contentType: "application/json", body: Array(body.utf8)),
            issuer: IssuerIdentifier(issuer))
    }
}

/// A URL as any server reads it.
struct ReadURL {
    let beforeQuery: String
    let pairs: [(name: String, value: String)]

    init(_ url: String) {
        let sides = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        beforeQuery = String(sides[0])
        pairs = sides.count < 2 ? [] : FormText.read(String(sides[1]))
    }

    var names: [String] { pairs.map(\.name) }
    func values(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }
}

/// Form-encoded text as any server reads it: names and values, percent-decoded, in order.
enum FormText {
    static func read(_ text: String) -> [(name: String, value: String)] {
        text.split(separator: "&", omittingEmptySubsequences: false).map { part in
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decode(sides[0]), sides.count == 2 ? decode(sides[1]) : "")
        }
    }

    private static func decode(_ text: Substring) -> String {
        let text = Array(text.utf8)
        var bytes: [UInt8] = []
        var index = 0
        while index < text.count {
            if text[index] == UInt8(ascii: "%"), index + 2 < text.count, let high = ASCII.hexValue(text[index + 1]),
                let low = ASCII.hexValue(text[index + 2])
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
