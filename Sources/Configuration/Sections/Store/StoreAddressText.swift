import HTTPMessage
import SharedState

/// The URLs of the shared store, and of its Sentinels.
///
/// What is wrong with one is said without repeating it: it may hold a password, which would then be in logs (SH-02).
enum StoreAddressText {
    /// What loading and the schema know of one; the rest is `parse`'s, whose messages say less.
    private static let one = TextShape(
        expected: "a URL such as rediss://store.internal:6379",
        pattern: "^(rediss?://[^/?#@]+(/[0-9]{0,4})?|unix:/.{1,106})$"
    ) { text in
        // A port alone; a password has no place that would be read as a number.
        UInt16(text) == nil ? nil : TextFault(remedy: "write it as  redis://127.0.0.1:\(text)")
    }

    static let oneOrSeveral = Shape.either([
        .text(one), .list(ListShape(noun: "servers", element: .text(one), count: 1...32)),
    ])

    struct Parsed {
        var address: StoreSettings.Address
        var database: Int
    }

    struct Fault: Error {
        var found: String
        var remedy: String
    }

    static func parse(_ text: String, defaultPort: UInt16) throws(Fault) -> Parsed {
        if text.hasPrefix(UnixSocketText.scheme) {
            if let path = UnixSocketText.path(text) { return Parsed(address: .unixSocket(path: path), database: 0) }
            throw Fault(found: "a socket without a usable path", remedy: UnixSocketText.fault(text)?.remedy ?? "")
        }
        if text.utf8.contains(UInt8(ascii: "@")) {
            throw Fault(
                found: "a URL with a user or a password in it",
                remedy:
                    "say them as  user: portcullis  and  password: { file: FILE }  beside it: URLs are shown in many places"
            )
        }
        let example = defaultPort == 6379 ? "rediss://store.internal:6379" : "rediss://sentinel.internal:26379"
        guard let uri = URI(text) else { throw Fault(found: "something else", remedy: "write it as  \(example)") }
        guard uri.scheme == "redis" || uri.scheme == "rediss" else {
            throw Fault(
                found: "another scheme", remedy: "write rediss, redis or unix; Valkey is spoken to like Redis")
        }
        guard uri.query == nil, uri.fragment == nil else {
            throw Fault(
                found: "a URL with a query or a fragment",
                remedy: "leave it out: what it would say has keys of its own under store")
        }
        guard !uri.host.isEmpty else {
            throw Fault(found: "a URL without a host", remedy: "write it as  \(example)")
        }
        guard uri.port != 0 else {
            throw Fault(
                found: "a URL with port 0", remedy: "write the server's port, or leave it out for \(defaultPort)")
        }
        guard let database = database(uri.path) else {
            throw Fault(
                found: "a URL with a path", remedy: "leave the path out, or write the number of a database: /2")
        }
        return Parsed(
            address: .network(
                host: uri.host, port: uri.port ?? defaultPort, isSecure: uri.scheme == "rediss"), database: database)
    }

    /// The number of a path such as `/2`; 0 without one, nil for any other.
    private static func database(_ path: String) -> Int? {
        if path.isEmpty || path == "/" { return 0 }
        let digits = path.utf8.dropFirst()
        guard digits.count <= 4, digits.allSatisfy({ (0x30...0x39).contains($0) }),
            digits.count == 1 || digits.first != 0x30
        else { return nil }
        return Int(String(path.dropFirst()))
    }
}

/// The servers under `url`, those that are none having been told.
struct StoreAddresses {
    private(set) var addresses: [StoreSettings.Address] = []
    private(set) var database = 0

    init(_ object: CheckedObject, _ problems: ProblemList, defaultPort: UInt16 = 6379) {
        for (index, text) in object.texts("url").enumerated() {
            do throws(StoreAddressText.Fault) {
                let parsed = try StoreAddressText.parse(text.text, defaultPort: defaultPort)
                if addresses.contains(parsed.address) {
                    problems.error(
                        at: text.place, expected: "each server once", found: "the same again",
                        remedy: "keep one of them")
                } else if index > 0, parsed.database != database {
                    problems.error(
                        at: text.place, expected: "one database at all servers",
                        found: "\(parsed.database) beside \(database)", remedy: "say the same number at each")
                }
                if index == 0 { database = parsed.database }
                addresses.append(parsed.address)
            } catch {
                problems.error(
                    at: text.place, expected: "the URL of a server, and nothing else in it", found: error.found,
                    remedy: error.remedy)
            }
        }
    }
}

/// The small grammars of the store's texts.
enum StoreText {
    /// Users of an ACL and names of primaries: words of commands, without spaces.
    static let user = TextShape(
        expected: "a name such as portcullis", pattern: "^[!-~]{1,128}$"
    ) { text in
        (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            ? nil : TextFault(remedy: "use 1 to 128 characters of printable ASCII without spaces")
    }

    /// Braces would put all keys into one slot of a cluster, and a colon would end the prefix early.
    static let prefix = TextShape(expected: "a prefix such as pc", pattern: "^[A-Za-z0-9_.-]{1,32}$") { text in
        let fits = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "_.-".utf8.contains(byte)
            }
        }
        return fits && (1...32).contains(text.utf8.count)
            ? nil : TextFault(remedy: "use 1 to 32 letters, digits, _ . and -")
    }
}
