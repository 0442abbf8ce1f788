import Bytes
import HTTPMessage

/// The small grammars of the configuration's texts.
enum PlainText {
    /// Names that the operator gives: they appear in logs, metrics and other keys.
    static func name(of thing: String) -> TextShape {
        TextShape(
            expected: "a name of \(thing) made of lower-case letters, digits, - and _",
            pattern: "^[a-z0-9][a-z0-9_-]{0,62}$"
        ) { text in
            let fits = text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x61...0x7A: true
                default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                }
            }
            guard fits, (1...63).contains(text.utf8.count), text.first != "-", text.first != "_" else {
                return TextFault(remedy: "choose a name such as main")
            }
            return nil
        }
    }

    /// A route's name: as `name`, or a path.
    static let routeName = printable("a route's name", limit: 128)

    static let file = TextShape(expected: "the path of a file", pattern: "^[^\\u0000]+$") { text in
        text.isEmpty || text.utf8.contains(0)
            ? TextFault(remedy: "write an absolute path, or one relative to this file's folder") : nil
    }

    static let audience = printable("an audience such as https://api.example.com", limit: 1024)
    static let realm = printable("a realm of printable ASCII", limit: 128)

    static let clientID = printable("a client_id such as shop", limit: 256)
    static let detail = printable("a text of printable ASCII", limit: 1024)
    static let resourceName = printable("a name such as Orders", limit: 128)

    /// An authentication scheme (RFC 9110 §11.1).
    static let scheme = TextShape(
        expected: "a scheme such as Bearer or Basic", pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$"
    ) { text in
        (1...32).contains(text.utf8.count) && text.utf8.allSatisfy(ASCII.isToken)
            ? nil : TextFault(remedy: "write the scheme's name alone")
    }

    /// A received-by of Via (RFC 9110 §7.6.3).
    static let pseudonym = TextShape(
        expected: "a name such as shop-gateway", pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$"
    ) { text in
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(ASCII.isToken)
            ? nil : TextFault(remedy: "use letters, digits and - alone; it is no address and needs no port")
    }

    /// A value of `acr`: challenges join them with spaces, between quotation marks (RFC 9470 §3).
    static let authenticationContext = TextShape(
        expected: "an acr value such as urn:example:mfa", pattern: scope.pattern
    ) { text in
        scope.fault(text).map { fault in
            text.contains(" ") ? TextFault(remedy: "write each value as an element of its own") : fault
        }
    }

    /// Letters, digits and % are what encoded members are made of: a reader could not tell them apart.
    static let separator = TextShape(
        expected: "a separator such as \",\" or \" \"", pattern: ##"^[ -$&-/:-@\[-`{-~]{1,8}$"##
    ) { text in
        let fits = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "%"): false
            default: (0x20...0x7E).contains(byte)
            }
        }
        return fits && (1...8).contains(text.utf8.count)
            ? nil : TextFault(remedy: "use 1 to 8 spaces or signs of ASCII, no letters, digits or %")
    }

    static let environmentVariable = TextShape(
        expected: "the name of an environment variable", pattern: "^[A-Za-z_][A-Za-z0-9_]*$"
    ) { text in
        let fits = text.utf8.allSatisfy { ASCII.isToken($0) && ($0 == 0x5F || !"!#$%&'*+-.^`|~".utf8.contains($0)) }
        return fits && !text.isEmpty && !(text.first?.isNumber ?? true)
            ? nil : TextFault(remedy: "write the variable's name alone, such as ISSUER_JWKS")
    }

    /// RFC 6749 §3.3.
    static let scope = TextShape(expected: "a scope such as orders:read", pattern: "^[!#-\\[\\]-~]+$") { text in
        let fits = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
        if fits, !text.isEmpty { return nil }
        return TextFault(
            remedy: text.contains(" ")
                ? "write each scope as an element of its own" : "use printable ASCII without \" and \\")
    }

    /// RFC 9110 §9.1: methods are tokens and case-sensitive.
    static let method = TextShape(expected: "a method such as GET", pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$") {
        text in
        guard (1...32).contains(text.utf8.count), text.utf8.allSatisfy(ASCII.isToken) else {
            return TextFault(remedy: "write the method's name alone")
        }
        if ["CONNECT", "TRACE", "TRACK"].contains(text.uppercased()) {
            return TextFault(
                expected: "a method that may pass a gateway",
                remedy: "\(text.uppercased()) is never forwarded; leave it out")
        }
        let usual = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]
        if text != text.uppercased(), usual.contains(text.uppercased()) {
            return TextFault(remedy: "methods are case-sensitive: write \(text.uppercased())")
        }
        return nil
    }

    static let authority = TextShape(
        expected: "a host and perhaps a port such as orders.internal:8443", pattern: "^[^/?#@ ,]+$"
    ) { text in
        Authority.isValid(text.utf8.span)
            ? nil : TextFault(remedy: "write what clients put in Host: no scheme, no path")
    }

    static let serverName = TextShape(expected: "a name such as api.internal", pattern: "^[0-9A-Za-z._-]+$") { text in
        let fits = text.utf8.allSatisfy { ASCII.isToken($0) && !"!#$%&'*+^`|~".utf8.contains($0) }
        return fits && (1...253).contains(text.utf8.count)
            ? nil : TextFault(remedy: "write the name in the upstream's certificate, without a port")
    }

    static func printable(_ expected: String, limit: Int) -> TextShape {
        TextShape(expected: expected, pattern: "^[ -~]{1,\(limit)}$") { text in
            (1...limit).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
                ? nil : TextFault(remedy: "use 1 to \(limit) characters of printable ASCII")
        }
    }
}
