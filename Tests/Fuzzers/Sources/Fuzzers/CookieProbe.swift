import Crypto
@testable import Sessions

/// Reads bytes of a stranger in every way that the gateway reads cookies, with a key that everybody knows.
///
/// The key is why this stands here: the library has no reader whose keys are not the operator's.
struct CookieProbe: Sendable {
    /// What a `Cookie` field says.
    struct Field: Sendable, Equatable {
        /// The session cookie's value.
        let value: [UInt8]?
        /// Whether there are two of it (SC-06).
        let isRepeated: Bool
        /// Where the value is, when it is there in one piece.
        let place: Range<Int>?
        /// What goes on to an upstream; nil when that is the field as it is.
        let stripped: [UInt8]?
        /// Login cookies that would have to go for another one.
        let evicted: [String]
        /// Logins that ended in the last minute.
        let endedLogins: Int
        /// The `Set-Cookie` that counts one more.
        let nextEnded: String
    }

    /// The session cookie's name.
    static let name = "__Host-portcullis-probe"
    /// The time at which everything is read, in seconds since 1970.
    static let now: Int64 = 1_800_000_000

    private let keys: SealingKeys
    private let store: CookieSessionStore
    private let sealer: TransactionSealer

    /// Makes what reads; refuses only when the library cannot derive keys.
    init() throws(CryptoRefusal) {
        let key = Secret([UInt8](repeating: 0x4b, count: 32))
        keys = try SealingKeys([key], purpose: .session, client: "probe", bound: [CookieProbe.name])
        store = try CookieSessionStore(
            settings: SessionSettings(cookieName: CookieProbe.name, keys: [key]), client: "probe")
        sealer = try TransactionSealer(keys: [key], client: "probe")
    }

    /// Reads a `Cookie` field.
    func read(field: [UInt8]) -> Field {
        let cookies = field.span
        var value: [UInt8]?
        var isRepeated = false
        switch CookieField.value(of: CookieProbe.name, in: cookies) {
        case .none: break
        case .one(let found): value = found
        case .repeated: isRepeated = true
        }
        var place: Range<Int>?
        if case .one(let range) = CookieField.locate(CookieProbe.name, in: cookies) { place = range }
        return Field(
            value: value, isRepeated: isRepeated, place: place, stripped: CookieField.stripped(cookies),
            evicted: TransactionSealer.evictions(in: cookies, adding: 200),
            endedLogins: EndedLogins.count(in: cookies, now: CookieProbe.now),
            nextEnded: EndedLogins.next(in: cookies, now: CookieProbe.now))
    }

    /// The lines of `Set-Cookie` for a value.
    func lines(value: [UInt8]) -> [String] {
        SetCookie.lines(name: CookieProbe.name, value: value, sameSite: .lax)
    }

    /// The session in what was sealed, as it would be sealed again; nil when it is none.
    func session(plaintext: [UInt8]) -> [UInt8]? {
        SessionCodec.decode(plaintext, client: "probe").map(SessionCodec.encode)
    }

    /// The login transaction in what was sealed, as it would be sealed again; nil when it is none.
    func transaction(plaintext: [UInt8]) -> [UInt8]? {
        TransactionCodec.decode(plaintext, client: "probe").map(TransactionCodec.encode)
    }

    /// Seals anything as a session's cookie.
    func seal(_ plaintext: [UInt8]) throws(CryptoRefusal) -> [UInt8] {
        try keys.seal(plaintext)
    }

    /// What was sealed as a session's cookie.
    func open(_ value: [UInt8]) -> [UInt8]? {
        keys.open(value.span)
    }

    /// Whether a value stands for a session that lives at `now`.
    func isSession(_ value: [UInt8]) -> Bool {
        guard case .found = store.lookUp(value, now: CookieProbe.now) else { return false }
        return true
    }

    /// Whether a field has the transaction that belongs to a state.
    func isTransaction(_ field: [UInt8], state: String) -> Bool {
        guard case .found = sealer.open(field.span, state: state, now: CookieProbe.now) else { return false }
        return true
    }

    /// Where a text may lead to after a login (CF-09).
    func target(_ text: [UInt8]) -> String {
        ReturnTarget.accept(text.span)
    }
}
