import Bytes

/// A request that a browser's tools copied for a shell ("Copy as cURL"), or that somebody tried in one.
///
/// Read by us and never run: an option that does something else than shape the request is passed over where it makes no
/// difference to the gateway, and refused where we cannot do what it says. No message repeats a value: a Cookie or
/// Authorization field is as good as a password.
package enum CurlCommand {
    /// The head that curl would send, and the URL that it would send it to.
    package static func head(_ text: [UInt8]) throws(RequestDraft.Problem) -> (head: [UInt8], url: String) {
        var text = text
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
        let words: [[UInt8]]
        do throws(ShellWords.Refusal) {
            words = try ShellWords.split(text)
        } catch {
            if isForCommandPrompt(text) {
                throw problem("it is the one for cmd, which quotes with ^: take \"Copy as cURL (bash)\"")
            }
            throw problem(error.words)
        }
        guard let first = words.first, first.elementsEqual("curl".utf8) else {
            throw problem(
                "the text does not begin with curl: take \"Copy as cURL (bash)\", not the one for cmd or PowerShell")
        }
        var request = CurlRequest()
        var rest = words.dropFirst()
        while let word = rest.popFirst() { try request.take(word, &rest) }
        return try request.head()
    }

    /// Whether lines go on as they do in cmd.
    private static func isForCommandPrompt(_ text: [UInt8]) -> Bool {
        text.split { $0 == 0x0A || $0 == 0x0D }.contains { $0.last == UInt8(ascii: "^") }
    }

    static func problem(_ words: String) -> RequestDraft.Problem {
        RequestDraft.Problem(text: "the cURL command: \(words)")
    }
}

/// What the options of a command come to.
private struct CurlRequest {
    private var method: String?
    private var url: [UInt8]?
    private var fields: [(name: String, value: [UInt8])] = []
    /// Names of fields that the command takes away.
    private var withdrawn: [String] = []
    private var cookies: [[UInt8]] = []
    private var data: [[UInt8]] = []
    /// The body's length is known: no file is part of it.
    private var isDataKnown = true
    private var contentType: String?
    private var sendsDataInURL = false
    private var isHead = false

    private typealias Words = ArraySlice<[UInt8]>

    mutating func take(_ word: [UInt8], _ rest: inout ArraySlice<[UInt8]>) throws(RequestDraft.Problem) {
        guard word.first == UInt8(ascii: "-"), word.count > 1 else { return try takeURL(word) }
        guard word[1] == UInt8(ascii: "-") else { return try takeLetters(word, &rest) }
        let name = String(decoding: word.dropFirst(2), as: UTF8.self)
        if Self.flags.contains(name) { return takeFlag(name) }
        guard Self.withValue.contains(name) else { throw Self.unknown("--\(name)") }
        guard let value = rest.popFirst() else { throw CurlCommand.problem("nothing stands behind --\(name)") }
        try take(name, value)
    }

    /// `-sSL`, `-XPOST`, `-H 'Name: value'`.
    private mutating func takeLetters(
        _ word: [UInt8], _ rest: inout ArraySlice<[UInt8]>
    ) throws(RequestDraft.Problem) {
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            let short = Character(Unicode.Scalar(letter))
            guard let name = Self.letters[short] else { throw Self.unknown("-\(short)") }
            if Self.flags.contains(name) {
                takeFlag(name)
                continue
            }
            guard let value = letters.isEmpty ? rest.popFirst() : Array(letters) else {
                throw CurlCommand.problem("nothing stands behind -\(short)")
            }
            return try take(name, value)
        }
    }

    private mutating func takeURL(_ word: [UInt8]) throws(RequestDraft.Problem) {
        guard url == nil else {
            throw CurlCommand.problem("it has more than one URL, or a value outside of quotation marks")
        }
        url = word
    }

    private mutating func takeFlag(_ name: String) {
        switch name {
        case "get": sendsDataInURL = true
        case "head": isHead = true
        default: break
        }
    }

    private mutating func take(_ name: String, _ value: [UInt8]) throws(RequestDraft.Problem) {
        switch name {
        case "request": method = try Self.line(value, of: "--request")
        case "url": try takeURL(value)
        case "header": try takeField(value)
        case "user-agent": fields.append(("User-Agent", value))
        case "referer": fields.append(("Referer", value))
        case "range": fields.append(("Range", Array("bytes=".utf8) + value))
        case "oauth2-bearer": fields.append(("Authorization", Array("Bearer ".utf8) + value))
        case "user": fields.append(("Authorization", Array(("Basic " + Self.base64(value)).utf8)))
        case "cookie":
            guard value.contains(UInt8(ascii: "=")) else {
                throw CurlCommand.problem("--cookie names a file, which is not read: give the cookies, NAME=VALUE")
            }
            cookies.append(value)
        case "data-urlencode": takeEncoded(value)
        case "data", "data-ascii", "data-binary", "json":
            // A file's name: its content makes no difference to the head but for its length.
            if value.first == UInt8(ascii: "@") { isDataKnown = false } else { data.append(value) }
            if name == "json" { contentType = "application/json" }
        case "data-raw": data.append(value)
        case "form", "form-string", "upload-file":
            isDataKnown = false
            contentType = name == "upload-file" ? "" : "multipart/form-data; boundary=x"
            if name == "upload-file", method == nil { method = "PUT" }
        default: break
        }
    }

    /// `content`, `=content` or `name=content`, where the content is escaped, or a file's instead of it.
    private mutating func takeEncoded(_ value: [UInt8]) {
        let sign = value.firstIndex { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "@") }
        guard sign.map({ value[$0] == UInt8(ascii: "=") }) ?? true else {
            isDataKnown = false
            return
        }
        var encoded = sign.map { $0 == 0 ? [] : Array(value[...$0]) } ?? []
        let content = sign.map { Array(value[($0 + 1)...]) } ?? value
        FormEncoding.append(content.span, to: &encoded)
        data.append(encoded)
    }

    /// `Name: value`; `Name:` takes a field of curl's own away, and `Name;` sends it empty.
    private mutating func takeField(_ text: [UInt8]) throws(RequestDraft.Problem) {
        guard text.first != UInt8(ascii: "@") else {
            throw CurlCommand.problem("--header names a file, which is not read: give the fields themselves")
        }
        guard let end = text.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") }), end > 0 else {
            throw CurlCommand.problem("--header wants  'Name: value'")
        }
        let name = try Self.line(Array(text[..<end]), of: "--header")
        let value = Array(text[(end + 1)...].drop { $0 == 0x20 || $0 == 0x09 })
        guard value.isEmpty else { return fields.append((name, value)) }
        if text[end] == UInt8(ascii: ";") { fields.append((name, [])) } else { withdrawn.append(name.lowercased()) }
    }

    /// The bytes of the head.
    func head() throws(RequestDraft.Problem) -> (head: [UInt8], url: String) {
        guard let url else { throw CurlCommand.problem("it has no URL") }
        var address = try Self.line(url, of: "the URL")
        if address.firstRange(of: "://") == nil { address = "http://" + address }
        if sendsDataInURL, !data.isEmpty {
            let query = String(decoding: Array(data.joined(separator: [UInt8(ascii: "&")])), as: UTF8.self)
            // Names in it are as they were given: a line end among them would be another field, or another request.
            address = try Self.line(
                Array((address + (address.contains("?") ? "&" : "?") + query).utf8), of: "the URL with its data")
        }
        let (authority, target) = try RequestDraft.parts(of: address)
        let sendsBody = !sendsDataInURL && (!data.isEmpty || !isDataKnown)
        let verb = method ?? (isHead ? "HEAD" : sendsBody ? "POST" : "GET")
        var head = Array("\(verb) \(target) HTTP/1.1\r\n".utf8)
        if !has("host") { head += Array("Host: \(authority)\r\n".utf8) }
        if !has("accept") {
            head += Array("Accept: \(contentType == "application/json" ? contentType ?? "" : "*/*")\r\n".utf8)
        }
        for field in fields { head += try Self.fieldLine(field.name, field.value) }
        if !cookies.isEmpty {
            head += try Self.fieldLine("Cookie", Array(cookies.joined(separator: Array("; ".utf8))))
        }
        if sendsBody {
            if !has("content-type"), contentType != "" {
                head += Array("Content-Type: \(contentType ?? "application/x-www-form-urlencoded")\r\n".utf8)
            }
            let length = data.reduce(max(0, data.count - 1)) { $0 + $1.count }
            if isDataKnown, !has("content-length"), !has("transfer-encoding") {
                head += Array("Content-Length: \(length)\r\n".utf8)
            }
        }
        return (head + [0x0D, 0x0A], address)
    }

    private func has(_ name: String) -> Bool {
        withdrawn.contains(name) || fields.contains { $0.name.lowercased() == name }
    }

    private static func fieldLine(_ name: String, _ value: [UInt8]) throws(RequestDraft.Problem) -> [UInt8] {
        // A line end within would be another field, or another request.
        guard !value.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }) else {
            throw CurlCommand.problem("the value of a field has a line end in it")
        }
        return Array("\(name): ".utf8) + value + [0x0D, 0x0A]
    }

    /// A text without anything that could end a line or a word of the head.
    private static func line(_ bytes: [UInt8], of what: String) throws(RequestDraft.Problem) -> String {
        guard !bytes.isEmpty, bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw CurlCommand.problem("\(what) has spaces or control characters in it, or nothing")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func unknown(_ option: String) -> RequestDraft.Problem {
        // What begins like an option may be a secret all the same.
        let shown = option.prefix(24).allSatisfy { $0.isASCII && ($0.isLetter || $0 == "-" || $0.isNumber) }
        return CurlCommand.problem(
            "the option \(shown ? String(option.prefix(24)) : "-…") is not known here: leave it out")
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let text = Base64URL.encode(bytes.span).replacing("-", with: "+").replacing("_", with: "/")
        return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }

    /// Options without a value; those that shape no request are passed over.
    private static let flags: Set<String> = [
        "anyauth", "basic", "compressed", "fail", "get", "globoff", "head", "http1.0", "http1.1", "http2", "http3",
        "include", "insecure", "ipv4", "ipv6", "location", "no-buffer", "no-keepalive", "progress-bar", "show-error",
        "silent", "tcp-nodelay", "tlsv1.2", "tlsv1.3", "verbose", "remote-name", "path-as-is",
    ]

    private static let withValue: Set<String> = [
        "cacert", "cert", "connect-timeout", "connect-to", "cookie", "cookie-jar", "data", "data-ascii", "data-binary",
        "data-raw", "data-urlencode", "form", "form-string", "header", "json", "key", "max-time", "noproxy",
        "oauth2-bearer", "output", "proxy", "range", "referer", "request", "resolve", "retry", "upload-file", "url",
        "user", "user-agent", "write-out",
    ]

    private static let letters: [Character: String] = [
        "A": "user-agent", "b": "cookie", "c": "cookie-jar", "d": "data", "E": "cert", "e": "referer", "F": "form",
        "f": "fail", "G": "get", "g": "globoff", "H": "header", "I": "head", "i": "include", "k": "insecure",
        "L": "location", "m": "max-time", "N": "no-buffer", "o": "output", "O": "remote-name", "r": "range",
        "S": "show-error", "s": "silent", "T": "upload-file", "u": "user", "v": "verbose", "w": "write-out",
        "X": "request", "x": "proxy", "#": "progress-bar", "4": "ipv4", "6": "ipv6",
    ]
}
