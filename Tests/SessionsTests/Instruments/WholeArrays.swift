@testable import Sessions

/// The same functions for arrays: expectations cannot hold spans.
extension CookieField {
    static func value(of name: String, in cookies: [UInt8]) -> Found { value(of: name, in: cookies.span) }
    static func locate(_ name: String, in cookies: [UInt8]) -> Located { locate(name, in: cookies.span) }
    static func chunks(of name: String, in cookies: [UInt8]) -> Int { chunks(of: name, in: cookies.span) }
    static func stripped(_ cookies: [UInt8], names: [String] = []) -> [UInt8]? { stripped(cookies.span, names: names) }
}

extension SealingKeys {
    func open(_ text: [UInt8], additional: [UInt8] = []) -> [UInt8]? { open(text.span, additional: additional) }
}

extension TransactionSealer {
    func open(_ cookies: [UInt8], state: String, redirectURI: String = "", now: Int64) -> Opened {
        open(cookies.span, state: state, redirectURI: redirectURI, now: now)
    }

    static func evictions(in cookies: [UInt8], adding bytes: Int) -> [String] {
        evictions(in: cookies.span, adding: bytes)
    }
}

extension TransactionSealer.Opened {
    var transaction: LoginTransaction? {
        guard case .found(let transaction) = self else { return nil }
        return transaction
    }

    var isNone: Bool {
        guard case .none = self else { return false }
        return true
    }

    var isExpired: Bool {
        guard case .expired = self else { return false }
        return true
    }
}

extension ReturnTarget {
    static func accept(_ text: [UInt8]) -> String { accept(text.span) }
    static func accept(_ text: String) -> String { accept(text.utf8Span.span) }
    static func fragment(_ text: String) -> String? { fragment(text.utf8Span.span) }
}

extension EndedLogins {
    static func count(in cookies: [UInt8], now: Int64) -> Int { count(in: cookies.span, now: now) }
    static func isLoop(in cookies: [UInt8], now: Int64) -> Bool { isLoop(in: cookies.span, now: now) }
    static func next(in cookies: [UInt8], now: Int64) -> String { next(in: cookies.span, now: now) }
}

extension PostLogoutState {
    static func matches(_ state: String, client: String, in cookies: [UInt8]) -> Bool {
        matches(state, client: client, in: cookies.span)
    }
}

/// What a browser sends after these lines of `Set-Cookie`, in the order in which its cookies were made.
struct Jar {
    private(set) var pairs: [(name: String, value: String)] = []

    mutating func take(_ lines: [String]) {
        for line in lines {
            let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(pair[0])
            if line.contains("Max-Age=0") {
                pairs.removeAll { $0.name == name }
            } else if let index = pairs.firstIndex(where: { $0.name == name }) {
                pairs[index].value = String(pair[1])
            } else {
                pairs.append((name, String(pair[1])))
            }
        }
    }

    var field: [UInt8] { Array(pairs.map { "\($0.name)=\($0.value)" }.joined(separator: "; ").utf8) }
}
