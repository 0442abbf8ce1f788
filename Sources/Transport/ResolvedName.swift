import Glibc

/// What a name leads to, and for how long.
public struct ResolvedName: Sendable {
    /// Why a name has no addresses.
    public enum Failure: Sendable {
        /// There is no such name, or it has no addresses.
        case unknown
        /// No name server has said anything, or one that something is wrong with it.
        case unanswered
    }

    /// Each once, in the order that the system prefers; empty where there are none.
    public var addresses: [SocketAddress]
    /// For how many seconds that holds, as a name server says; nil where none says so.
    public var lifetime: UInt32?
    /// Why there are no addresses, where there are none.
    public var failure: Failure?
    /// Monotonic microseconds until which nobody needs to ask again.
    public var holdsUntil: UInt64

    /// Addresses that somebody has found.
    public init(
        _ addresses: [SocketAddress], lifetime: UInt32? = nil, failure: Failure? = nil, holdsUntil: UInt64 = 0
    ) {
        self.holdsUntil = holdsUntil
        self.addresses = addresses
        self.lifetime = lifetime
        self.failure = addresses.isEmpty ? failure ?? .unknown : nil
    }

    /// The same at another port.
    func with(port: UInt16) -> ResolvedName {
        var one = self
        one.addresses = addresses.map { $0.with(port: port) }
        return one
    }
}

/// For how long answers about names are used (RFC 1035 §3.2.1, within bounds).
public enum NameLifetime {
    /// Seconds: an answer that is for nobody but the one who asked would have every name asked for all the time, and
    /// one that is for a week would keep a server that has moved.
    public static let bounds: ClosedRange<UInt32> = 1...300
    /// Seconds for a name of which no name server says it, such as one of `/etc/hosts`.
    public static let unsaid: UInt32 = 30
    /// The shortest, in microseconds: of failures too.
    public static let least: UInt64 = 1_000_000

    /// Microseconds for which an answer is used; `isSaid` where name servers were asked how long.
    ///
    /// Up to a tenth less than they say: gateways that started together must not ask together for ever.
    static func microseconds(of answer: ResolvedName, isSaid: Bool) -> UInt64 {
        guard isSaid, !answer.addresses.isEmpty else { return least }
        let seconds = min(max(answer.lifetime ?? unsaid, bounds.lowerBound), bounds.upperBound)
        let whole = UInt64(seconds) * 1_000_000
        return max(least, whole - UInt64.random(in: 0...whole / 10))
    }
}

/// A name server to ask in place of those of `/etc/resolv.conf`.
public struct NameServer: Sendable, Hashable {
    /// An IPv4 literal.
    public let host: String
    /// 53 at most of them.
    public let port: UInt16
    /// As many as glibc asks.
    public static let most = 3

    /// Nil where `host` is no IPv4 literal: glibc has no place for another one with a port.
    public init?(host: String, port: UInt16) {
        guard let address = SocketAddress(literal: host, port: port), address.family == AF_INET else { return nil }
        self.host = host
        self.port = port
    }
}
