import Bytes
import Crypto
import Sessions

/// `session` of a client: how a login is kept.
enum SessionSection {
    private static let table = SettingTable(
        "the settings of sessions", defaults: SessionSettings(cookieName: ""),
        [
            .word(
                "store", \.store, [("cookie", .cookie), ("memory", .memory), ("shared", .shared)],
                never: ["redis": "there is no such store yet: cookie needs none, and works with several replicas"],
                example: "memory",
                "Where sessions are: sealed in the browser, in this process, which forgets them when it ends, or in store."
            ),
            .words(
                "accept", \.accepts, [("cookie", .cookie), ("shared", .shared)], noun: "stores", example: "[cookie]",
                "Where else sessions are looked for while they move from one store to the other."),
            .key(
                "cookie", .text(LoginText.cookie), .optional, example: "__Host-shop",
                "The name of the cookie; __Host-portcullis- (__Secure- beside domain) and the client's name by default."
            ),
            .key(
                "domain", .text(LoginText.domain), .optional, example: "example.com",
                "Has all hosts under a domain get the cookie, so that those of this client are one sign-in; costs safety."
            ),
            .word(
                "same_site", \.sameSite, [("lax", .lax), ("strict", .strict)],
                never: ["none": "with none pages of other sites could use the session: lax is the weakest here"],
                "Whether links from elsewhere bring the session along (lax) or begin with a page of ours (strict)."),
            .seconds(
                "idle", \.idle, 60...34_560_000, "Without a request for so long a session is over."),
            .seconds(
                "absolute", \.absolute, 60...34_560_000, "Whatever happens, a session is over after so long."),
            .key(
                "keys",
                .list(
                    ListShape(
                        noun: "references to keys",
                        element: .object(SecretReference.shape(noun: "a reference to a key")), count: 1...8)),
                .optional, example: "[{ file: /run/secrets/session.key }]",
                "Keys that seal cookies, 32 bytes each, the same on all replicas: the first seals, all open."),
            .count(
                "limit", \.limit, 1...10_000_000, "Sessions kept in memory at most, and ended ones remembered."),
            .flag(
                "revocable", \.isRevocable,
                "Keeps refresh tokens in store under its keys alone, to revoke them when a session ends without its cookie."
            ),
            .key(
                "script_claims",
                .list(ListShape(noun: "claims", element: .text(ClaimPathText.name), count: 1...32)), .optional,
                example: "[name, email]", "Claims that scripts may read at /.portcullis/session/NAME."),
        ])
    static let shape = table.shape

    /// Nil after a problem without which nothing else can be said about the login.
    static func translate(_ entry: CheckedEntry, _ context: LoginContext) -> SessionSettings? {
        guard let client = entry.value?.object else { return nil }
        let problems = context.translation.problems
        let object = client.object("session")
        let domain = object?.text("domain")?.text.lowercased()
        let prefix = domain == nil ? SessionSettings.hostPrefix : SessionSettings.domainPrefix
        var settings = SessionSettings(cookieName: "\(prefix)portcullis-\(entry.name)")
        settings.domain = domain
        if let cookie = object?.text("cookie") {
            judgePrefix(cookie, prefix, object?.says("domain") ?? false, problems)
            settings.cookieName = cookie.text
        } else if !(object?.says("cookie") ?? false), LoginText.isReserved(settings.cookieName) {
            problems.error(
                at: entry.place, expected: "a name that no cookie of the gateway has",
                found: "\(entry.name), for the cookie \(settings.cookieName)",
                remedy: "rename the client, or add  session: { cookie: \(prefix)shop }")
        }
        guard let object else { return settings }
        table.read(object, into: &settings)
        if object["idle"] == nil { settings.idle = min(settings.idle, settings.absolute) }
        if settings.idle > settings.absolute {
            problems.error(
                at: object.place(of: "idle"), expected: "idle of at most absolute",
                found: "\(DurationText.text(settings.idle)) and \(DurationText.text(settings.absolute))",
                remedy: "raise absolute or lower idle")
        }
        judgeAccepted(settings, object, problems)
        if settings.isRevocable, settings.store != .shared, !settings.accepts.contains(.shared) {
            problems.error(
                at: object.place(of: "revocable"), expected: "revocable beside sessions in store",
                found: "sessions that are elsewhere", remedy: "say  store: shared , or leave revocable out")
        }
        settings.keys = SessionKeyText.keys(object, of: .session, context.translation).map { Secret($0) }
        Repetition.refuse(object.texts("script_claims"), problems)
        return settings
    }

    /// Browsers hold a cookie to what its name begins with: one of a single host has no Domain, or is dropped.
    private static func judgePrefix(
        _ cookie: PlacedText, _ prefix: String, _ hasDomain: Bool, _ problems: ProblemList
    ) {
        // Which one is right is not known while the domain is none.
        guard !cookie.text.hasPrefix(prefix), !(hasDomain && prefix == SessionSettings.hostPrefix) else { return }
        let bare = cookie.text.drop { $0 == "_" }.drop { $0 != "-" }.dropFirst()
        problems.error(
            at: cookie.place, expected: "a name that begins with \(prefix)\(hasDomain ? " beside domain" : "")",
            found: Quoted.text(cookie.text),
            remedy: hasDomain
                ? "browsers keep no cookie of a domain with another prefix: write it as  \(prefix)\(bare)"
                : "without the prefix a neighbouring host could set it: write it as  \(prefix)\(bare)")
    }

    /// Sessions move between the browser and the store, in either direction.
    private static func judgeAccepted(_ settings: SessionSettings, _ object: CheckedObject, _ problems: ProblemList) {
        guard object["accept"] != nil else { return }
        switch settings.store {
        case .cookie where settings.accepts == [.shared], .shared where settings.accepts == [.cookie]: break
        case .cookie, .memory, .shared:
            problems.error(
                at: object.place(of: "accept"), expected: "the other of cookie and shared beside store",
                found: "sessions that do not move",
                remedy: "say  store: shared, accept: [cookie]  or  store: cookie, accept: [shared] , or leave it out")
        }
    }
}

/// Keys that seal sessions, and what is in the shared store: 32 random bytes, as they are or in a text.
enum SessionKeyText {
    /// What keys are for, as messages and `portcullis keys new` call it.
    enum Use: String {
        case session, store
    }

    static let bytes = 32

    /// The keys under `keys`; those that are none have been told.
    static func keys(_ object: CheckedObject, of use: Use, _ translation: Translation) -> [[UInt8]] {
        let noun = "\(use.rawValue) key"
        let remedy = "make one with  portcullis keys new \(use.rawValue) --out FILE"
        var keys: [[UInt8]] = []
        for reference in object.list("keys").compactMap(\.object) {
            guard
                let value = SecretReference.resolve(
                    reference, translation, noun: "a \(noun)", sensitivity: .secret, limit: 4096)
            else { continue }
            guard let key = decode(value.bytes) else {
                translation.problems.error(
                    at: value.place, expected: "a \(noun): 32 random bytes, or their hex or base64url",
                    found: fault(value.bytes), remedy: remedy)
                continue
            }
            if isGuessable(key) {
                translation.problems.error(
                    at: value.place, expected: "a \(noun) of random bytes", found: "the same few bytes repeated",
                    remedy: remedy)
            } else if keys.contains(key) {
                translation.problems.error(
                    at: value.place, expected: "each \(noun) once", found: "the same key again",
                    remedy: "keep one of them")
            }
            keys.append(key)
        }
        return keys
    }

    /// 32 bytes that are no text, 64 digits of hex, or 43 characters of base64url (of base64 too: 44 with a `=`).
    ///
    /// 32 characters of text are a password, or 16 bytes in hex, but no key of 32 random bytes.
    static func decode(_ value: [UInt8]) -> [UInt8]? {
        let line = SecretReference.line(value)
        let isText = line.allSatisfy { (0x20...0x7E).contains($0) }
        guard isText else { return value.count == bytes ? value : nil }
        switch line.count {
        case 64: return hex(line)
        case 43, 44:
            // Both alphabets, for what  openssl rand -base64 32  prints is a key too.
            guard line.count == 43 || line.last == UInt8(ascii: "=") else { return nil }
            let digits: [UInt8] = line.prefix(43).map { byte in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                default: byte
                }
            }
            return Base64URL.decode(digits.span)
        default: return nil
        }
    }

    private static func hex(_ digits: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = nibble(digits[index]), let low = nibble(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }

    private static func fault(_ value: [UInt8]) -> String {
        let line = SecretReference.line(value)
        if line.isEmpty { return "nothing" }
        if PEMText.holds("PRIVATE KEY", in: value) { return "a private key in PEM" }
        let isText = line.allSatisfy { (0x20...0x7E).contains($0) }
        return isText ? "a text of \(line.count) characters" : "\(value.count) bytes"
    }

    /// Zeros, or one letter held down: random bytes have some twenty-eight different values.
    private static func isGuessable(_ key: [UInt8]) -> Bool { Set(key).count < 8 }
}
