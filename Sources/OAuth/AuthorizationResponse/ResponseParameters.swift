import Bytes
import Crypto

/// The parameters of an authorization response that mean something; all others are left out (CF-20).
///
/// Servers echo what they do not know, and some of it would be no pleasure to keep: a client assertion, for one.
struct ResponseParameters: Sendable {
    /// Those that are read, each at most once.
    enum Name: String, CaseIterable, Sendable {
        case code, state, iss, error, response
        case sessionState = "session_state"
    }

    /// What is known of one parameter.
    private enum Value: Sendable {
        case absent
        case one([UInt8])
        case malformed
        case repeated
    }

    private var values = [Value](repeating: .absent, count: Name.allCases.count)
    /// Whether there is a parameter that would be a token, whatever its value.
    private(set) var exposesTokens = false

    /// Reads `name=value` pairs between `&`; what is malformed in names that mean nothing stays unread.
    init(_ form: Span<UInt8>) {
        var start = 0
        while start < form.count {
            var end = start
            while end < form.count, form[end] != UInt8(ascii: "&") { end += 1 }
            keep(form.extracting(start..<end))
            start = end + 1
        }
    }

    private mutating func keep(_ pair: Span<UInt8>) {
        var sign = 0
        while sign < pair.count, pair[sign] != UInt8(ascii: "=") { sign += 1 }
        // `c%6Fde` is `code` to every reader that decodes names.
        let spelt = pair.extracting(0..<sign)
        if FormEncoding.isSpelling(spelt, of: "access_token") || FormEncoding.isSpelling(spelt, of: "id_token") {
            exposesTokens = true
        }
        var known: Int?
        for (place, name) in Name.allCases.enumerated() where FormEncoding.isSpelling(spelt, of: name.rawValue) {
            known = place
        }
        guard let place = known else { return }
        guard case .absent = values[place] else {
            values[place] = .repeated
            return
        }
        let value = sign < pair.count ? FormEncoding.decode(pair.extracting(sign + 1..<pair.count)) : []
        values[place] = value.map { .one($0) } ?? .malformed
    }

    /// Refuses a response with any parameter that means something twice, though it were one that is not used.
    func checkRepetition() throws(AuthorizationResponseRefusal) {
        for (name, value) in zip(Name.allCases, values) {
            if case .repeated = value { throw .repeated(name.rawValue) }
        }
    }

    /// The one value of `name`, nil when there is none.
    func only(_ name: Name) throws(AuthorizationResponseRefusal) -> [UInt8]? {
        guard let place = Name.allCases.firstIndex(of: name) else { return nil }
        switch values[place] {
        case .absent: return nil
        case .malformed: throw .malformed(name.rawValue)
        case .repeated: throw .repeated(name.rawValue)
        case .one(let value): return value
        }
    }

    /// A value of printable ASCII without line breaks, of the length that `name` may have.
    static func text(_ value: [UInt8], _ name: Name) throws(AuthorizationResponseRefusal) -> String {
        // VSCHAR of RFC 6749 appendix A: a line break in a code would be a line of its own somewhere (CF-27).
        guard (1...maximumBytes(name)).contains(value.count), value.allSatisfy({ $0 >= 0x20 && $0 <= 0x7E })
        else { throw .malformed(name.rawValue) }
        return String(decoding: value, as: UTF8.self)
    }

    /// What a response with these says.
    static func outcome(
        code: [UInt8]?, error: [UInt8]?
    ) throws(AuthorizationResponseRefusal) -> AuthorizationResponse {
        switch (code, error) {
        case (nil, nil): throw .missing("code")
        case (.some, .some): throw .codeAndError
        case (.some(let code), nil): return .code(Secret(Array(try text(code, .code).utf8)))
        case (nil, .some(let error)):
            guard let error = AuthorizationError(code: try text(error, .error)) else { throw .malformed("error") }
            return .error(error)
        }
    }

    private static func maximumBytes(_ name: Name) -> Int {
        switch name {
        case .code: 2048
        case .state: 512
        case .error: 64
        case .iss, .response, .sessionState: AuthorizationResponseRules.maximumBytes
        }
    }
}
