import Bytes
package import Crypto

/// Seals login transactions into cookies, one for each state, so that several logins of one browser go on side by side
/// and any replica can finish them (CF-03, CF-06, CF-07).
///
/// The seal is bound to the client, to the cookie's name and to what else both ends say. Half of the state's digest is in
/// the name and in what is sealed, so that a cookie can be told to be ours before the state is known, and belongs to no
/// other state. Without configured keys the seal is this process's own: then only this process finishes a login.
package struct TransactionSealer: Sendable {
    /// What became of the transaction that a callback's state belongs to.
    package enum Opened: Sendable {
        case found(LoginTransaction)
        /// This browser began no such login: no cookie, another browser's state, another client's, a forged one.
        case none
        /// It began one, more than ten minutes ago.
        case expired
    }

    /// Seconds that a login may take (CF-03).
    package static let lifetimeSeconds = 600
    /// Login cookies that a browser is left with at most.
    private static let maximumCookies = 20
    /// Login cookies that one answer deletes at most: each takes a line of it, three times as long as the cookie may be.
    private static let maximumEvictions = 40
    /// Bytes of `Cookie` that they take at most.
    package static let maximumBytes = 3500
    /// What their names begin with.
    package static let prefix = "__Host-portcullis-login-"

    private let keys: SealingKeys
    private let client: String

    /// `keys` are those of `SessionSettings`; without any, this process's own.
    ///
    /// `binding` is what else must be the same at both ends, such as the issuer and the client's identifier there.
    package init(keys: [Secret], client: String, binding: String = "") throws(CryptoRefusal) {
        self.keys = try SealingKeys(keys, purpose: .transaction, client: client, bound: [binding])
        self.client = client
    }

    /// The cookie's name for a state: eight characters of the state's digest are in it, and nothing of the state.
    package static func cookieName(state: String) -> String {
        prefix
            + String(
                decoding: Array(SHA256.hash(state.utf8Span.span).base64URL.utf8.prefix(suffixLength)), as: UTF8.self)
    }

    /// The cookie that the browser keeps until the callback; with `SetCookie.lines(… maxAge: lifetimeSeconds)`.
    ///
    /// What would make it longer than one cookie is left out: the fragment, then the target. Refuses a seed that is not
    /// 32 bytes.
    package func seal(
        _ transaction: LoginTransaction, state: String, redirectURI: String = ""
    ) throws(CryptoRefusal) -> (name: String, value: [UInt8]) {
        guard transaction.seed.count == TransactionCodec.seedLength else { throw .keyLength }
        let name = TransactionSealer.cookieName(state: state)
        let room = SetCookie.capacity(name: name, cookies: 1)
        let rest = TransactionSealer.rest(of: state)
        var transaction = transaction
        var bytes = rest + TransactionCodec.encode(transaction)
        if SealingKeys.sealedCount(bytes.count) > room {
            transaction.fragment = nil
            bytes = rest + TransactionCodec.encode(transaction)
        }
        if SealingKeys.sealedCount(bytes.count) > room {
            transaction.returnTo = "/"
            bytes = rest + TransactionCodec.encode(transaction)
        }
        return (name, try keys.seal(bytes, additional: TransactionSealer.bound(name.utf8Span.span, redirectURI)))
    }

    /// The transaction that the request's cookies have for a state; `state` may be anything a stranger sends.
    package func open(
        _ cookies: Span<UInt8>, state: String, redirectURI: String = "", now: Int64
    ) -> Opened {
        // Two cookies of one name: one of them is not ours, and nobody can tell which (SC-06).
        let name = TransactionSealer.cookieName(state: state)
        guard case .one(let range) = CookieField.locate(name, in: cookies),
            let (rest, transaction) = opened(cookies.extracting(range), name: name.utf8Span.span, redirectURI)
        else { return .none }
        let expected = TransactionSealer.rest(of: state)
        guard ConstantTime.equal(rest.span, expected.span) else { return .none }
        return judged(transaction, now: now)
    }

    /// A transaction of this browser's, whichever its state is: for responses that nobody has read yet, and which it would
    /// cost a private key to read.
    ///
    /// One that is good where there is one. A browser sends no more of them than it was left with.
    package func openAny(_ cookies: Span<UInt8>, redirectURI: String = "", now: Int64) -> Opened {
        var result = Opened.none
        var looked = 0
        var pairs = CookiePairs()
        while let pair = pairs.next(in: cookies), looked < TransactionSealer.maximumEvictions {
            guard TransactionSealer.isTransaction(cookies.extracting(pair.name)) else { continue }
            looked += 1
            let name = cookies.extracting(pair.name), value = cookies.extracting(pair.value)
            guard let found = opened(value, name: name, redirectURI) else { continue }
            result = judged(found.transaction, now: now)
            if case .found = result { return result }
        }
        return result
    }

    private func opened(
        _ value: Span<UInt8>, name: Span<UInt8>, _ redirectURI: String
    ) -> (rest: [UInt8], transaction: LoginTransaction)? {
        let length = TransactionSealer.restOfDigest.count
        guard let bytes = keys.open(value, additional: TransactionSealer.bound(name, redirectURI)),
            bytes.count > length,
            let transaction = TransactionCodec.decode(Array(bytes[length...]), client: client)
        else { return nil }
        return (Array(bytes[..<length]), transaction)
    }

    private func judged(_ transaction: LoginTransaction, now: Int64) -> Opened {
        let age = now.subtractingReportingOverflow(transaction.createdAt)
        // Another replica's clock may be ahead; by more than a login's time it is not a clock.
        guard !age.overflow, age.partialValue > -TransactionSealer.lifetime,
            age.partialValue <= TransactionSealer.lifetime
        else { return .expired }
        return .found(transaction)
    }

    /// The login cookies to delete so that with another one of `bytes` (its name and value) the limits are kept.
    ///
    /// With hundreds of them, which no login of ours leaves behind, they go with one login after the other.
    ///
    /// The oldest go first: browsers send cookies in the order in which they were made (RFC 6265bis §5.8.3).
    package static func evictions(in cookies: Span<UInt8>, adding bytes: Int) -> [String] {
        var names: [String] = []
        var sizes: [String: Int] = [:]
        var pairs = CookiePairs()
        while let pair = pairs.next(in: cookies) {
            guard isTransaction(cookies.extracting(pair.name)) else { continue }
            let name = String(copying: cookies.extracting(pair.name))
            if sizes[name] == nil { names.append(name) }
            sizes[name, default: 0] += pair.all.count + separator
        }
        var total = sizes.values.reduce(bytes + separator + 1, +)
        var left = names.count
        var evicted: [String] = []
        for name in names {
            guard left >= maximumCookies || total > maximumBytes, evicted.count < maximumEvictions else { break }
            evicted.append(name)
            total -= sizes[name] ?? 0
            left -= 1
        }
        return evicted
    }

    private static let suffixLength = 8
    /// The bytes of `; ` in the field.
    private static let separator = 2
    private static var lifetime: Int64 { Int64(lifetimeSeconds) }

    /// Whether a name is one of these: what else begins so is not deleted, for nobody knows what it is.
    private static func isTransaction(_ name: Span<UInt8>) -> Bool {
        let start = prefix.utf8.count
        guard name.count == start + suffixLength else { return false }
        var index = 0
        for byte in prefix.utf8 {
            guard name[index] == byte else { return false }
            index += 1
        }
        for index in start..<name.count {
            let byte = name[index]
            let isBase64URL =
                ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            guard isBase64URL else { return false }
        }
        return true
    }

    /// Of the state's digest what is sealed: with the 48 bits of the name 128 of its bits belong to a cookie.
    private static let restOfDigest = 6..<16

    private static func rest(of state: String) -> [UInt8] {
        Array(SHA256.hash(state.utf8Span.span).bytes[restOfDigest])
    }

    /// What must be the same where it is opened.
    private static func bound(_ name: Span<UInt8>, _ redirectURI: String) -> [UInt8] {
        var writer = FieldWriter()
        writer.text(String(copying: name))
        writer.text(redirectURI)
        return writer.bytes
    }
}
