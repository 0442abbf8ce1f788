package import Crypto

/// How a request came in, and when: all of it that its bytes do not say.
package struct Arrival {
    /// The listener's place in the configuration.
    package let listener: Int
    /// Unix seconds: the whole judgement is as of this time.
    package let now: Int64
    /// What plain HTTP may do there.
    package let clearText: ClearText
    /// What is known of the connection, asked only where a request depends on it.
    package let connection: any ArrivalConnection

    /// A request that comes in at this listener and time.
    package init(listener: Int, now: Int64, clearText: ClearText, connection: any ArrivalConnection) {
        self.listener = listener
        self.now = now
        self.clearText = clearText
        self.connection = connection
    }
}

/// What plain HTTP may do on a connection.
package enum ClearText: UInt8, Sendable {
    /// What the listener is for; or the connection speaks TLS.
    case served
    /// It came to a listener with TLS: no request is served.
    case atTLS
    /// The listener sends whoever comes to https.
    case redirected
}

/// What a connection says of its client; each answer costs something, and is asked for only where it decides.
package protocol ArrivalConnection {
    /// Whether the server name of the TLS handshake is this host but for its case; true without TLS, or without a name.
    func serverNameAgrees(with host: Span<UInt8>) -> Bool
    /// Whether the peer is a TLS terminator whose `Client-Cert` is believed (RFC 9440 §2.4).
    var isFromTerminator: Bool { get }
    /// SHA-256 of the certificate, in DER, whose key the peer has proved to have; nil where it has shown none.
    var certificateDigest: SHA256Digest? { get }
    /// The client's address in 128 bits, of IPv6 the /64; nil where whoever is there stands for many, as a proxy does that
    /// does not say for whom it asks.
    var network: (UInt64, UInt64)? { get }
    /// The client's whole address, IPv4 as IPv6 maps it; nil where `network` is.
    var address: UInt128? { get }
    /// Whether a signature is verified for the client: not while too many were verified for it in vain (ECO-81).
    var mayVerify: Bool { get }
    /// The monotonic clock, in nanoseconds.
    var nanoseconds: UInt64 { get }
}
