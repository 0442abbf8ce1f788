/// Takes credentials out of a query string before it is logged (OPS-01).
package enum QueryRedaction {
    /// Appends the query with the value of every parameter that carries a credential replaced by `[redacted]`.
    ///
    /// Names are compared case-insensitively after percent-decoding, so that `Access%5Ftoken` hides no better than
    /// `access_token`. Readings that upstreams have are ours too, for what they take as a token must not be in our log:
    /// `;` separates parameters, `access.token` and `access token` are `access_token` (PHP), and `token[]` is `token`.
    /// At most `limit` bytes and a last name are written; a name is never cut, so that it cannot lose its meaning.
    package static func append(_ query: Span<UInt8>, limit: Int = 1024, to output: inout [UInt8]) {
        let bound = output.count + max(limit, 0)
        var index = 0
        var isCut = false
        while index < query.count, output.count < bound {
            let end = next(in: query, from: index) { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: ";") }
            let equals = next(in: query.extracting(index..<end), from: 0) { $0 == UInt8(ascii: "=") } + index
            copy(query, index..<equals, to: &output)
            if equals < end {
                output.append(UInt8(ascii: "="))
                if isSensitive(query.extracting(index..<equals)) {
                    output.append(contentsOf: "[redacted]".utf8)
                } else {
                    let stop = min(end, equals + 1 + max(bound - output.count, 0))
                    copy(query, (equals + 1)..<stop, to: &output)
                    isCut = stop < end
                }
            }
            if isCut { break }
            if end < query.count { output.append(query[end]) }
            index = end + 1
        }
        if isCut || index < query.count { output.append(contentsOf: "...".utf8) }
    }

    /// The same for the query of a path: nothing of it where the path is the gateway's own.
    ///
    /// What comes back from an authorization server is not only the parameters that we know (CF-26), and the address or
    /// fragment that a login returns to has parameters of its own, a token among them perhaps.
    package static func append(
        _ query: Span<UInt8>, of path: Span<UInt8>, limit: Int = 1024, to output: inout [UInt8]
    ) {
        guard isOwn(path) else { return append(query, limit: limit, to: &output) }
        output.append(contentsOf: "[redacted]".utf8)
    }

    /// Whether a path is below `/.portcullis/`, where logins begin and end.
    private static func isOwn(_ path: Span<UInt8>) -> Bool {
        var index = 0
        for byte in "/.portcullis/".utf8 {
            guard index < path.count, decoded(path, at: index).byte == (byte == 0x2E ? 0x5F : byte) else {
                return false
            }
            index += decoded(path, at: index).length
        }
        return true
    }

    /// Whether the value of a parameter of this (still encoded) name may be a credential.
    ///
    /// The names are the parameters of OAuth 2.0, OpenID Connect and their extensions whose values are secrets or stand for
    /// one, and those under which APIs take keys, signatures, passwords and sessions. What ends as such a name does is
    /// one too: `csrf_token`, `apiKey`, `X-Amz-Signature`. A harmless value that is not logged costs an operator a
    /// look; a secret that is logged costs its owner everything.
    private static func isSensitive(_ name: Span<UInt8>) -> Bool {
        var start = 0
        // A second `?` belongs to the name for us, and to nothing for some readers.
        while start < name.count, [UInt8(ascii: "_"), UInt8(ascii: "?")].contains(decoded(name, at: start).byte) {
            start += decoded(name, at: start).length
        }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(1, name.count)) { plain in
            var count = 0
            while start < name.count {
                let (byte, length) = decoded(name, at: start)
                // `token[]` is `token`, and so is `token[0]`.
                if byte == UInt8(ascii: "[") { break }
                plain[count] = byte
                count += 1
                start += length
            }
            return isSensitive(plain: UnsafeBufferPointer(rebasing: plain[..<count]))
        }
    }

    private static func isSensitive(plain name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let last = name.last else { return false }
        // Their last letters are asked first: most parameters of an API are told apart by it.
        switch last {
        case UInt8(ascii: "d"):
            return ends(name, "password") || ends(name, "passwd") || ends(name, "sessionid") || ends(name, "session_id")
                || ends(name, "sessid") || isOne(name, "pwd") || isOne(name, "sid")
        case UInt8(ascii: "e"):
            return ends(name, "signature") || ends(name, "passphrase")
                || isOne(name, "code") || isOne(name, "state") || isOne(name, "response") || isOne(name, "samlresponse")
                || isOne(name, "device_code") || isOne(name, "user_code")
        case UInt8(ascii: "g"): return isOne(name, "sig")
        case UInt8(ascii: "h"): return isOne(name, "auth")
        case UInt8(ascii: "c"): return isOne(name, "hmac")
        case UInt8(ascii: "l"): return ends(name, "credential")
        case UInt8(ascii: "n"):
            return ends(name, "token") || ends(name, "assertion") || isOne(name, "authorization")
                || isOne(name, "session")
        case UInt8(ascii: "p"): return isOne(name, "otp") || isOne(name, "totp")
        case UInt8(ascii: "r"): return isOne(name, "code_verifier") || isOne(name, "bearer")
        case UInt8(ascii: "s"): return ends(name, "credentials") || isOne(name, "pass")
        case UInt8(ascii: "t"):
            return ends(name, "secret") || ends(name, "jwt") || ends(name, "ticket")
                || isOne(name, "request") || isOne(name, "id_token_hint") || isOne(name, "samlrequest")
        case UInt8(ascii: "y"):
            return isOne(name, "key") || ends(name, "_key") || ends(name, "apikey") || ends(name, "accesskey")
        default: return false
        }
    }

    private static func isOne(_ name: UnsafeBufferPointer<UInt8>, _ wanted: StaticString) -> Bool {
        name.count == wanted.utf8CodeUnitCount && ends(name, wanted)
    }

    private static func ends(_ name: UnsafeBufferPointer<UInt8>, _ wanted: StaticString) -> Bool {
        let count = wanted.utf8CodeUnitCount
        guard name.count >= count else { return false }
        let end = UnsafeBufferPointer(rebasing: name[(name.count - count)...])
        return end.elementsEqual(UnsafeBufferPointer(start: wanted.utf8Start, count: count))
    }

    /// The byte that the text at `index` stands for, in lower case, separators of words as `_`.
    private static func decoded(_ name: Span<UInt8>, at index: Int) -> (byte: UInt8, length: Int) {
        var byte = name[index]
        var length = 1
        if byte == UInt8(ascii: "%"), index + 2 < name.count, let high = nibble(name[index + 1]),
            let low = nibble(name[index + 2])
        {
            byte = high << 4 | low
            length = 3
        }
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): return (byte | 0x20, length)
        case UInt8(ascii: "."), UInt8(ascii: " "), UInt8(ascii: "+"), UInt8(ascii: "-"): return (0x5F, length)
        default: return (byte, length)
        }
    }

    private static func nibble(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func next(in bytes: Span<UInt8>, from start: Int, where matches: (UInt8) -> Bool) -> Int {
        var index = start
        while index < bytes.count, !matches(bytes[index]) { index += 1 }
        return index
    }

    private static func copy(_ bytes: Span<UInt8>, _ range: Range<Int>, to output: inout [UInt8]) {
        bytes.extracting(range).withUnsafeBufferPointer { output.append(contentsOf: $0) }
    }
}
