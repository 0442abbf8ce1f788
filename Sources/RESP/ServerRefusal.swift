import Bytes

/// What a server answered instead of a reply: which error it is, and whether the command was executed in spite of it.
public struct ServerRefusal: Sendable, Equatable {
    /// The errors that somebody acts on.
    public enum Code: String, Sendable, CaseIterable {
        /// The key's slot is at another node, for good.
        case moved = "MOVED"
        /// The key may be at another node, for this command.
        case ask = "ASK"
        /// Keys of one command are in several slots, or a part of them is on its way.
        case tryAgain = "TRYAGAIN"
        case crossSlot = "CROSSSLOT"
        /// The cluster serves no, or not this, slot.
        case clusterDown = "CLUSTERDOWN"
        /// No script with that digest.
        case noScript = "NOSCRIPT"
        /// The server reads its data from disk.
        case loading = "LOADING"
        /// The server is a replica.
        case readOnly = "READONLY"
        /// The server is a replica whose primary is gone.
        case masterDown = "MASTERDOWN"
        /// Fewer replicas than a write needs.
        case noReplicas = "NOREPLICAS"
        /// The server cannot write its data to disk, and takes no writes until it can.
        case misconfigured = "MISCONF"
        /// Memory is full, and nothing may be evicted.
        case outOfMemory = "OOM"
        /// Something of another type is under that key.
        case wrongType = "WRONGTYPE"
        /// A script runs for too long.
        case busy = "BUSY"
        /// Nobody has signed in on this connection.
        case notAuthenticated = "NOAUTH"
        /// User and password do not fit.
        case wrongPassword = "WRONGPASS"
        /// The user may not do that.
        case noPermission = "NOPERM"
        /// The server takes connections from its own host alone.
        case denied = "DENIED"
        /// No more clients: the server closes the connection.
        case tooManyClients = "max number of clients"
        /// Anything else.
        case other = "ERR"
    }

    /// Which it is.
    public let code: Code
    /// Whether a script raised it, which may have written before.
    let isFromScript: Bool

    /// Reads the text of an error reply.
    public init(_ text: Span<UInt8>) {
        code = ServerRefusal.code(of: text)
        isFromScript = text.contains("script: ") || text.contains("user_script") || text.contains("in script")
    }

    /// Whether the command was certainly not executed, not even in part (SH-17).
    ///
    /// Where it is false, the command may have been executed.
    public var isNotExecuted: Bool {
        guard !isFromScript else { return false }
        switch code {
        case .moved, .ask, .tryAgain, .crossSlot, .clusterDown, .noScript, .loading, .readOnly, .masterDown,
            .noReplicas,
            .misconfigured, .outOfMemory, .busy, .notAuthenticated, .wrongPassword, .noPermission, .denied,
            .tooManyClients, .wrongType:
            return true
        case .other: return false
        }
    }

    /// Whether the same command may be sent again as it is, there or elsewhere, within its time (SH-17).
    public var maySendAgain: Bool {
        guard isNotExecuted else { return false }
        switch code {
        case .moved, .ask, .tryAgain, .clusterDown, .noScript, .loading, .readOnly, .masterDown, .busy: return true
        case .crossSlot, .noReplicas, .misconfigured, .outOfMemory, .notAuthenticated, .wrongPassword, .noPermission,
            .denied, .tooManyClients, .wrongType, .other:
            return false
        }
    }

    private static func code(of text: Span<UInt8>) -> Code {
        let space = text.firstIndex(of: 0x20, from: 0, to: text.count)
        let word = text.extracting(..<space)
        for code in Code.allCases where word.isEqual(to: code.rawValue.utf8Span.span) && code != .other { return code }
        if text.begins(with: "ERR max number of clients") { return .tooManyClients }
        // Redis without a password says so of AUTH in these words; of the default user alone it is a wrong setting too.
        if text.begins(with: "ERR AUTH ") || text.begins(with: "ERR invalid password") { return .wrongPassword }
        return .other
    }
}

/// Where a cluster sends a command instead (`MOVED 3999 127.0.0.1:6381`).
public struct Redirection: ~Escapable {
    /// The slot it is about.
    public let slot: Int
    /// The node's host, a name or an address; empty where it is the one that answered.
    public let host: Span<UInt8>
    /// The node's port.
    public let port: UInt16

    /// Reads the text of a `MOVED` or an `ASK`; nil when it is not one, to the byte.
    @_lifetime(copy text)
    public init?(_ text: Span<UInt8>) {
        guard text.begins(with: "MOVED ") || text.begins(with: "ASK ") else { return nil }
        let start = text.firstIndex(of: 0x20, from: 0, to: text.count) + 1
        let space = text.firstIndex(of: 0x20, from: start, to: text.count)
        guard space < text.count, let slot = ReplyNumber.read(text, from: start, to: space),
            (0..<HashSlot.count).contains(slot)
        else { return nil }
        // The last colon: an IPv6 address has several, and no brackets here.
        var colon = text.count - 1
        while colon > space, text[colon] != UInt8(ascii: ":") { colon -= 1 }
        guard colon > space, let port = ReplyNumber.read(text, from: colon + 1, to: text.count),
            let port = UInt16(exactly: port), port > 0
        else { return nil }
        let host = text.extracting((space + 1)..<colon)
        for index in host.indices {
            let byte = host[index]
            guard ASCII.isUnreserved(byte) || byte == UInt8(ascii: ":") else { return nil }
        }
        self.slot = slot
        self.host = host
        self.port = port
    }
}

extension Span where Element == UInt8 {
    func begins(with text: String) -> Bool { holds(text.utf8Span.span, at: 0) }

    func contains(_ text: String) -> Bool {
        let text = text.utf8Span.span
        var index = 0
        while index + text.count <= count {
            if holds(text, at: index) { return true }
            index += 1
        }
        return false
    }

    private func holds(_ text: Span<UInt8>, at place: Int) -> Bool {
        place + text.count <= count && extracting(place..<(place + text.count)).isEqual(to: text)
    }
}
