package import Access
import Bytes
import Crypto
package import JSON

/// What a request said of itself, none of it believed: the material of an explanation.
///
/// Made from a head by `WorkerRef.evidence`; holds no signature of a token, no cookie, and no field that is not named
/// here, so that it may be kept in memory and shown to the operator.
package struct RequestEvidence: Sendable {
    /// How far the judgement came; at its beginning for what was no request at all.
    package var reached = Stage.target

    /// The Authorization field, as far as it may be shown.
    package enum Authorization: Sendable, Equatable {
        case none
        /// More than one line.
        case lines(Int)
        /// One line with a comma in it.
        case list
        /// Not a scheme and one token68; the scheme where there is one.
        case malformed(scheme: String?)
        /// Another scheme than Bearer and DPoP.
        case other(scheme: String)
        /// A JWT or another long word where the scheme belongs.
        case tokenWithoutScheme
        case bearer, dpop
    }

    /// What a request is that goes to no upstream.
    package enum OwnAnswer: Sendable {
        case none
        /// OPTIONS for the gateway itself, or whose last hop this is (Max-Forwards).
        case options
        /// A browser's question, before a script's request, what may follow.
        case preflight
        /// For a document of the gateway's own.
        case document
        /// The same address over https.
        case redirect
        /// What the route answers, which has no upstream.
        case route
        /// A step of a login or a logout.
        case login
    }

    /// The body as the head announces it.
    package enum Body: Sendable, Equatable {
        case none
        case bytes(Int64)
        /// Its length shows at its end: it comes in chunks, or ends with its stream.
        case chunked
    }

    package var listener = 0
    /// The client's address.
    package var peer = ""
    package var method = ""
    /// Path and query, values of parameters that may be secret left out.
    package var target = ""
    package var path = ""
    /// Host, or the authority of a target in absolute-form.
    package var authority = ""
    package var fieldCount = 0
    package var headBytes = 0
    package var hasTokenInQuery = false
    /// It came by HTTP/2.
    package var isHTTP2 = false
    /// It calls a procedure by gRPC.
    package var isCall = false
    /// A WebSocket handshake, by its framing fields.
    package var offersWebSocket = false
    package var authorization = Authorization.none
    package var token: TokenEvidence?
    package var proofs: [TokenEvidence] = []
    /// `Origin` fields.
    package var origins: [String] = []
    /// A browser's preflight, which asks for another method.
    package var asksForMethod = false
    /// What it brings of a browser's session; nil where the route takes none.
    package var session: SessionEvidence?
    /// What a browser says of why it asks, and whether a person waits for a page.
    package var browser = BrowserEvidence()
    /// What the gateway answers with itself, and the words for it; empty for everything that is for an upstream.
    package var ownAnswer = OwnAnswer.none
    package var ownAnswerWords = ""
    /// How much of a body the request announces.
    package var body = Body.none
    /// Where a request that needs a login is sent; nil for every other.
    package var loginStart: LoginStartEvidence?
    /// Whether there is a `Client-Cert` field, whoever sent it.
    package var hasClientCertField = false
    /// The SHA-256 digest of the client certificate in base64url, when one was presented.
    package var certificateThumbprint: String?
    /// Whether the request was only tried out: nothing was remembered or looked up in a running gateway.
    package var isDryRun = false
    /// How the proof is known at the store of all replicas; nil where nothing of it came to be used up.
    package var storedProof: StoredProof?
    /// What became of the proof when it was used up.
    package var spending = ProofSpending.none
    /// Whether the issuer is asked about the token instead of its signature being checked (RFC 7662).
    package var isIntrospected = false
    /// The route's place in the settings; nil when none was found.
    package var route: Int?
    /// The place of the issuer that the token names, when it is configured.
    package var issuer: Int?
    /// That issuer's keys at hand: `kid` and `kty`-like word, in the order of its set; nil when there are none.
    package var keys: [KeyEvidence]?

    package init() {}
}

/// A used proof, as the store of all replicas has it.
package struct StoredProof: Sendable, Equatable {
    /// What its key in the store ends in: 22 characters.
    package var name: String
    /// The last Unix second at which it could be accepted once more.
    package var until: Int64
}

/// A key of an issuer, as far as it helps to find out why another was asked for.
package struct KeyEvidence: Sendable, Equatable {
    package var keyID: String?
    /// Names of the algorithms that the key can verify.
    package var algorithms: [String]
}

/// A token or a proof taken apart, without its signature.
package struct TokenEvidence: Sendable {
    package var bytes: Int
    /// Parts between dots: three of a signed JWT, five of an encrypted one, one of most opaque tokens.
    package var segments: Int
    /// The header, where it can be read.
    package var header: JSONValue?
    /// The claims, where they can be read.
    package var claims: JSONValue?
    /// The first eight digits of its SHA-256 digest, by which the access log names it.
    package var digest: String
    /// The whole digest in base64url: what a proof's `ath` must be.
    package var hash: String
}

extension TokenEvidence {
    /// Takes `text` apart as far as it goes; whatever cannot be read is left out.
    init(_ text: Span<UInt8>) {
        bytes = text.count
        let digest = SHA256.hash(text)
        hash = digest.base64URL
        let digits = String(UInt64(bigEndian: digest.prefix), radix: 16)
        self.digest = String((String(repeating: "0", count: 16 - digits.utf8.count) + digits).prefix(8))
        var dots: [Int] = []
        for index in text.indices where text[index] == UInt8(ascii: ".") { dots.append(index) }
        segments = dots.count + 1
        guard dots.count == 2, text.count <= Self.readLimit else { return }
        header = Self.object(text.extracting(0..<dots[0]))
        claims = Self.object(text.extracting((dots[0] + 1)..<dots[1]))
    }

    /// The JSON object that a part of a token spells, or nil.
    private static func object(_ part: Span<UInt8>) -> JSONValue? {
        guard let bytes = Base64URL.decode(part) else { return nil }
        guard let value = try? JSONValue.parse(owned: bytes, limits: JSONLimits(bytes: readLimit)) else { return nil }
        guard value.kind == .object else { return nil }
        // A client that puts its private key into a proof must not find it in our memory, or on our screen, as well.
        var writer = JSONWriter()
        write(value, &writer)
        return try? JSONValue.parse(owned: writer.finish(), limits: JSONLimits(bytes: 2 * readLimit))
    }

    /// Writes a value again, without the members of keys that only their owner may know.
    private static func write(_ value: JSONValue, _ writer: inout JSONWriter) {
        switch value.kind {
        case .object:
            let isKey = value["kty"] != nil
            writer.beginObject()
            for (name, member) in value.members {
                writer.name(name)
                if isKey, !publicMembers.contains(name) {
                    writer.string("[left out]")
                } else {
                    write(member, &writer)
                }
            }
            writer.endObject()
        case .array:
            writer.beginArray()
            for element in value.elements { write(element, &writer) }
            writer.endArray()
        case .string, .number, .bool, .null: writer.value(value)
        }
    }

    /// Members of a JWK that are for everybody (RFC 7518 §6, RFC 8037 §2).
    private static let publicMembers = ["kty", "crv", "x", "y", "n", "e", "kid", "alg", "use", "key_ops"]

    /// More is not a token of ours.
    static let readLimit = 64 * 1024

    /// Whether this was a signed JWT whose two parts can be read.
    package var isReadable: Bool { header != nil && claims != nil }

    /// A claim that is a string.
    package func text(_ claim: String) -> String? { claims?[claim]?.string }

    /// `aud`, which may be one text or a list.
    package var audiences: [String] {
        guard let value = claims?["aud"] else { return [] }
        return value.string.map { [$0] } ?? value.elements.compactMap(\.string)
    }
}
