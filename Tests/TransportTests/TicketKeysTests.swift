import COpenSSL
import Synchronization
import TestSupport
import TestTraits
import Testing
import Transport

private typealias Stream = Transport.ByteStream

/// Seconds that pass when a test says so.
private final class Seconds: Sendable {
    private let value = Mutex<UInt64>(1_000_000)

    var now: UInt64 { value.withLock { $0 } }
    func pass(_ seconds: UInt64) { value.withLock { $0 += seconds } }
}

/// What comes of a visit: whether it was resumed, and the session to come again with.
private struct Visited {
    let isResumed: Bool
    let session: ClientSession
    /// Whether the connection belongs to this host.
    let agrees: Bool
}

private let versions = [TLS1_2_VERSION, TLS1_3_VERSION]

@Suite struct `session tickets` {
    private func visit(
        _ tls: ServerTLS, _ version: Int32, resuming session: ClientSession? = nil, name: String = "a.example"
    ) throws -> Visited {
        let pair = try SocketPair()
        let client = try ForeignClient(pair.there, serverName: name, version: version, resuming: session)
        guard var server = tls.open(pair.here) else { throw WireFailure.tls("open") }
        defer { server.close() }
        let outcomes = shakeHands(server, client.stream)
        #expect(outcomes == (0, 0))
        // The tickets of TLS 1.3 come after the handshake.
        #expect(server.send([1]) == 1)
        #expect(client.stream.receive().bytes == [1])
        let host = Array("a.example".utf8)
        return Visited(
            isResumed: client.isResumed, session: try client.session(),
            agrees: host.withUnsafeBufferPointer { server.serverNameAgrees(with: $0.span) })
    }

    private func server(
        _ keys: TicketKeys, name: String = "https://a.example", clients: ClientCertificates? = nil
    ) throws -> ServerTLS {
        let files = try CertificateFiles()
        return try ServerTLS(
            identities: [files.identity("a.example")], minimumVersion: .tls12, clientCertificates: clients,
            ticketKeys: keys, name: name)
    }

    @Test(.holds("HTTP-73"), arguments: versions)
    func `are good at the same listener after a reload`(version: Int32) throws {
        let keys = TicketKeys()
        let first = try visit(server(keys), version)
        #expect(!first.isResumed)
        // Another context with the same keys: what a reload makes, and what another worker's connection meets.
        #expect(try visit(server(keys), version, resuming: first.session).isResumed)
    }

    @Test(.refuses("HTTP-73"), arguments: versions)
    func `are good at no other listener, nor in another process`(version: Int32) throws {
        let keys = TicketKeys()
        let first = try visit(server(keys), version)
        #expect(try !visit(server(keys, name: "https://b.example"), version, resuming: first.session).isResumed)
        #expect(try !visit(server(TicketKeys()), version, resuming: first.session).isResumed)
        let asking = ClientCertificates(request: .optional, trust: .anyCertificate)
        #expect(try !visit(server(keys, clients: asking), version, resuming: first.session).isResumed)
    }

    @Test(.holds("HTTP-73"), .refuses("HTTP-73"), arguments: versions)
    func `of the key before are renewed, older ones refused`(version: Int32) throws {
        let clock = Seconds()
        let keys = TicketKeys { clock.now }
        let tls = try server(keys)
        let first = try visit(tls, version)
        clock.pass(TicketKeys.rotationSeconds)
        let second = try visit(tls, version, resuming: first.session)
        #expect(second.isResumed)
        clock.pass(TicketKeys.rotationSeconds)
        #expect(try !visit(tls, version, resuming: first.session).isResumed)
        #expect(try visit(tls, version, resuming: second.session).isResumed)
        clock.pass(2 * TicketKeys.rotationSeconds)
        #expect(try !visit(tls, version, resuming: second.session).isResumed)
    }

    @Test(.holds("HTTP-73"), .refuses("HTTP-73"), arguments: versions)
    func `of shared keys are good at every replica`(version: Int32) throws {
        let (old, new) = ([UInt8](repeating: 7, count: 32), [UInt8](repeating: 9, count: 48))
        let before = try #require(TicketKeys(shared: [old]))
        let after = try #require(TicketKeys(shared: [new, old]))
        let alone = try #require(TicketKeys(shared: [new]))
        let first = try visit(server(before), version)
        let second = try visit(server(after), version, resuming: first.session)
        #expect(second.isResumed)
        #expect(try visit(server(alone), version, resuming: second.session).isResumed)
        #expect(try !visit(server(alone), version, resuming: first.session).isResumed)
    }

    @Test(.refuses("HTTP-73")) func `are not made with keys that can be guessed`() {
        #expect(TicketKeys(shared: []) == nil)
        #expect(TicketKeys(shared: [[UInt8](repeating: 1, count: 31)]) == nil)
        #expect(TicketKeys(shared: [[UInt8](repeating: 1, count: 32), [1]]) == nil)
    }

    @Test(.holds("HTTP-21"), .refuses("HTTP-21"), arguments: versions)
    func `keep the name that the connection began with`(version: Int32) throws {
        let tls = try server(TicketKeys())
        let first = try visit(tls, version)
        #expect(first.agrees)
        let same = try visit(tls, version, resuming: first.session)
        #expect(same.isResumed && same.agrees)
        let other = try visit(tls, version, name: "b.example")
        #expect(!other.agrees)
        let otherAgain = try visit(tls, version, resuming: other.session, name: "b.example")
        #expect(otherAgain.isResumed && !otherAgain.agrees)
    }
}
