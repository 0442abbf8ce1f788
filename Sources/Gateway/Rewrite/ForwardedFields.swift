import Access
import Bytes
import HTTPMessage

/// What an upstream is told of the client's connection: `X-Forwarded-…` always, `Forwarded` where the listener says so.
///
/// What the client itself wrote under these names is not copied (HTTP-42). Of a trusted proxy it is read, and what was
/// understood is written anew: its chain of addresses with its own behind it, and the scheme (HTTP-52). Host and port
/// are those that were checked against the listener's, whoever stands in front.
extension WorkerRef {
    func putForwardedFields(
        _ exchange: ExchangeRef, _ client: ClientRef, _ route: FixedValue<Route>?,
        _ bytes: UnsafeMutablePointer<UInt8>, into writer: inout HeadWriter
    ) {
        let listener = pointee.listening.listeners + Int(client.pointee.listener)
        let isProxy = isProxy(client)
        let isSecure = (isProxy ? forwardedScheme(bytes) : nil) ?? self.isSecure(client, route)
        let authority = authority(client, bytes)
        writer.put("X-Forwarded-For: ")
        if isProxy { putForwardedChain(bytes, into: &writer) }
        put(client.pointee.peer, into: &writer)
        writer.put("\r\nX-Forwarded-Proto: ")
        if isSecure { writer.put("https") } else { writer.put("http") }
        writer.put("\r\nX-Forwarded-Host: ")
        writer.put(authority)
        writer.put("\r\nX-Forwarded-Port: ")
        putPort(of: authority, isSecure: isSecure, into: &writer)
        writer.put("\r\nX-Request-Id: ")
        if isProxy, let id = proxyRequestID(client, bytes) {
            writer.put(id)
        } else {
            writer.put(exchange.pointee.id)
        }
        writer.put("\r\n")
        guard listener.pointee.saysForwarded else { return }
        writer.put("Forwarded: ")
        if isProxy {
            if pointee.scratch.head.pointee.fields.count(of: .forwarded) > 0 {
                putForwardedElements(bytes, into: &writer)
            } else {
                // The proxy speaks X-Forwarded-For alone: both fields tell of the same clients.
                putForwardedChain(bytes, asElements: true, into: &writer)
            }
        }
        putElement(client.pointee.peer, authority, isSecure: isSecure, into: &writer)
        writer.put("\r\n")
    }

    /// Whether clients come by https, as the operator says: of the host that a route is of, or else of the listener.
    func isSecure(_ client: ClientRef, _ route: FixedValue<Route>?) -> Bool {
        route?.pointee.isHostSecure ?? pointee.listening.listeners[Int(client.pointee.listener)].isSecure
    }

    private func isProxy(_ client: ClientRef) -> Bool {
        let listener = pointee.listening.listeners + Int(client.pointee.listener)
        return listener.pointee.hasProxies && listener.pointee.proxies.contains(client.pointee.peer)
    }

    private func put(_ address: PeerAddress, into writer: inout HeadWriter) {
        if writer.hasRoom(46) { writer.advance(address.write(into: writer.space)) }
    }

    /// The port that the client used: the authority's, or that of the scheme.
    private func putPort(
        of authority: UnsafeBufferPointer<UInt8>, isSecure: Bool, into writer: inout HeadWriter
    ) {
        // A port has five digits at most, and an IPv6 address ends with a bracket: the first of these decides.
        var start = authority.count
        while start > 0, authority.count - start < 6 {
            start -= 1
            if authority[start] == UInt8(ascii: ":") {
                return writer.put(UnsafeBufferPointer(rebasing: authority[(start + 1)...]))
            }
            guard ASCII.isDigit(authority[start]) else { break }
        }
        if isSecure { writer.put("443") } else { writer.put("80") }
    }

    /// One forwarded-element (RFC 7239 §4): an IPv6 address, and a host with a port, between quotation marks.
    ///
    /// Host is an authority that was checked, in which no octet needs an escape. `by` is left out: it would tell which
    /// address of ours was reached.
    private func putElement(
        _ peer: PeerAddress, _ authority: UnsafeBufferPointer<UInt8>, isSecure: Bool, into writer: inout HeadWriter
    ) {
        putFor(peer, into: &writer)
        writer.put(";host=")
        if ForwardedField.isToken(authority.span) {
            writer.put(authority)
        } else {
            writer.put("\"")
            writer.put(authority)
            writer.put("\"")
        }
        if isSecure { writer.put(";proto=https") } else { writer.put(";proto=http") }
    }

    private func putFor(_ address: PeerAddress, into writer: inout HeadWriter) {
        // RFC 7239 §6 has no word for a Unix socket.
        if address.isUnix { return writer.put("for=unknown") }
        if address.isIPv6 { writer.put("for=\"[") } else { writer.put("for=") }
        put(address, into: &writer)
        if address.isIPv6 { writer.put("]\"") }
    }

    // MARK: what a trusted proxy wrote

    /// The id that a trusted proxy gave the request, by which the lines of both are found; nil where there is none.
    ///
    /// A proxy may hand on what a stranger wrote: only letters, digits and a few signs, at most 128 of them and in one
    /// field, so that nothing in it can end a line or grow one, whoever reads it.
    func proxyRequestID(
        _ client: ClientRef, _ bytes: UnsafeMutablePointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8>? {
        let head = pointee.scratch.head
        guard head.pointee.fields.count(of: .xRequestID) == 1, isProxy(client) else { return nil }
        let value = text(head.pointee.fields[head.pointee.fields.firstIndex(of: .xRequestID)].value, bytes)
        guard (1...128).contains(value.count), value.allSatisfy(RequestID.mayContain) else { return nil }
        return value
    }

    /// Whether the proxy got the request over TLS; nil when it does not say so in one word.
    private func forwardedScheme(_ bytes: UnsafeMutablePointer<UInt8>) -> Bool? {
        let head = pointee.scratch.head
        guard head.pointee.fields.count(of: .xForwardedProto) == 1 else { return nil }
        let value = text(head.pointee.fields[head.pointee.fields.firstIndex(of: .xForwardedProto)].value, bytes)
        if ASCII.equalsIgnoringCase(value.span, "https") { return true }
        return ASCII.equalsIgnoringCase(value.span, "http") ? false : nil
    }

    /// Writes the chain that the proxy sent, each address with a comma behind it.
    private func putForwardedChain(
        _ bytes: UnsafeMutablePointer<UInt8>, asElements: Bool = false, into writer: inout HeadWriter
    ) {
        var chain = ForwardedChain()
        forEachForwardedAddress(bytes) { chain.append($0) }
        var index = chain.count
        while index > 0 {
            index -= 1
            if asElements { putFor(chain[index], into: &writer) } else { put(chain[index], into: &writer) }
            writer.put(", ")
        }
    }

    /// Who sent the request, as far as is known: the last address in the chain that is no trusted proxy's.
    ///
    /// The peer itself unless it is trusted, and the first of the chain when all of them are.
    func clientAddress(_ client: ClientRef, _ bytes: UnsafeMutablePointer<UInt8>) -> PeerAddress {
        let listener = pointee.listening.listeners + Int(client.pointee.listener)
        var found = client.pointee.peer
        guard isProxy(client) else { return found }
        var count = 0
        forEachForwardedAddress(bytes) { address in
            found = address
            count += 1
            return count < ForwardedChain.addressLimit && listener.pointee.proxies.contains(address)
        }
        return found
    }

    /// Tells the addresses of the chain from its end, until one is none or `tell` has enough.
    ///
    /// What stands before something else is a stranger's text, with which nobody must be able to hide the address that the
    /// proxy saw.
    private func forEachForwardedAddress(_ bytes: UnsafeMutablePointer<UInt8>, _ tell: (PeerAddress) -> Bool) {
        let head = pointee.scratch.head
        var members = 0
        for index in (0..<head.pointee.fields.count).reversed()
        where head.pointee.fields[index].id == .xForwardedFor {
            let list = text(head.pointee.fields[index].value, bytes)
            var position = list.count
            while position >= 0 {
                members += 1
                guard members <= ForwardedChain.memberLimit,
                    let member = CommaList.previous(
                        in: list.span, before: &position, limit: ForwardedChain.memberLength)
                else { return }
                guard member.count > 0 else { continue }
                guard let address = PeerAddress(text: UnsafeBufferPointer(rebasing: list[member.range])), tell(address)
                else { return }
            }
        }
    }

    /// Writes the proxy's `Forwarded` lines, a comma behind each: the last ones, as far as they can be read.
    private func putForwardedElements(_ bytes: UnsafeMutablePointer<UInt8>, into writer: inout HeadWriter) {
        let head = pointee.scratch.head
        var first = head.pointee.fields.count
        var elements = 0
        for index in (0..<head.pointee.fields.count).reversed() where head.pointee.fields[index].id == .forwarded {
            guard let count = elementCount(text(head.pointee.fields[index].value, bytes)) else { break }
            elements += count
            guard elements <= ForwardedChain.addressLimit else { break }
            first = index
        }
        for index in first..<head.pointee.fields.count where head.pointee.fields[index].id == .forwarded {
            writer.put(text(head.pointee.fields[index].value, bytes))
            writer.put(", ")
        }
    }

    private func elementCount(_ value: UnsafeBufferPointer<UInt8>) -> Int? {
        do throws(ForwardedField.Refusal) {
            return try ForwardedField.elementCount(of: value.span)
        } catch {
            return nil
        }
    }

    private func text(_ range: ByteRange, _ bytes: UnsafeMutablePointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
    }
}
