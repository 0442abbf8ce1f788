// SPDX-License-Identifier: Apache-2.0
import Bytes
import HTTPMessage

/// What an upstream is told of the client's connection: `X-Forwarded-…` always, `Forwarded` where the listener says so.
///
/// What the client itself wrote under these names is not copied (HTTP-42). Of a trusted proxy it is read, and what was
/// understood is written anew: its chain of addresses with its own behind it, and the scheme (HTTP-52). Host and port
/// are those that were checked against the listener's, whoever stands in front.
extension WorkerRef {
    func putForwardedFields(
        _ exchange: ExchangeRef, _ client: ClientRef, _ bytes: UnsafeMutablePointer<UInt8>,
        into writer: inout HeadWriter
    ) {
        let listener = pointee.listeners + Int(client.pointee.listener)
        let isProxy = isProxy(client)
        let isSecure = (isProxy ? forwardedScheme(bytes) : nil) ?? listener.pointee.isSecure
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
        writer.put(exchange.pointee.id)
        writer.put("\r\n")
        guard listener.pointee.saysForwarded else { return }
        writer.put("Forwarded: ")
        if isProxy {
            if pointee.head.pointee.fields.count(of: .forwarded) > 0 {
                putForwardedElements(bytes, into: &writer)
            } else {
                // The proxy speaks X-Forwarded-For alone: both fields tell of the same clients.
                putForwardedChain(bytes, asElements: true, into: &writer)
            }
        }
        putElement(client.pointee.peer, authority, isSecure: isSecure, into: &writer)
        writer.put("\r\n")
    }

    private func isProxy(_ client: ClientRef) -> Bool {
        let listener = pointee.listeners + Int(client.pointee.listener)
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

    /// Addresses, or elements, that are kept of what a trusted proxy wrote: the last ones.
    private static var chainLimit: Int { 16 }

    /// Whether the proxy got the request over TLS; nil when it does not say so in one word.
    private func forwardedScheme(_ bytes: UnsafeMutablePointer<UInt8>) -> Bool? {
        let head = pointee.head
        guard head.pointee.fields.count(of: .xForwardedProto) == 1 else { return nil }
        let value = text(head.pointee.fields[head.pointee.fields.firstIndex(of: .xForwardedProto)].value, bytes)
        if ASCII.equalsIgnoringCase(value.span, "https") { return true }
        return ASCII.equalsIgnoringCase(value.span, "http") ? false : nil
    }

    /// Writes the chain that the proxy sent, each address with a comma behind it.
    ///
    /// Read from its end as far as it consists of addresses: what stands before something else is a stranger's text,
    /// with which nobody must be able to hide the address that the proxy saw.
    private func putForwardedChain(
        _ bytes: UnsafeMutablePointer<UInt8>, asElements: Bool = false, into writer: inout HeadWriter
    ) {
        var count = 0
        forEachForwardedAddress(bytes) { _ in
            count += 1
            return count < Self.chainLimit
        }
        var skipped = 0
        forEachForwardedMember(bytes) { _ in skipped += 1 }
        skipped -= count
        forEachForwardedMember(bytes) { member in
            skipped -= 1
            guard skipped < 0, let address = PeerAddress(text: member) else { return }
            if asElements { putFor(address, into: &writer) } else { put(address, into: &writer) }
            writer.put(", ")
        }
    }

    /// Who sent the request, as far as is known: the last address in the chain that is no trusted proxy's.
    ///
    /// The peer itself unless it is trusted, and the first of the chain when all of them are.
    func clientAddress(_ client: ClientRef, _ bytes: UnsafeMutablePointer<UInt8>) -> PeerAddress {
        let listener = pointee.listeners + Int(client.pointee.listener)
        var found = client.pointee.peer
        guard isProxy(client) else { return found }
        var count = 0
        forEachForwardedAddress(bytes) { address in
            found = address
            count += 1
            return count < Self.chainLimit && listener.pointee.proxies.contains(address)
        }
        return found
    }

    /// Tells the addresses of the chain from its end, until one is none or `tell` has enough.
    private func forEachForwardedAddress(_ bytes: UnsafeMutablePointer<UInt8>, _ tell: (PeerAddress) -> Bool) {
        let head = pointee.head
        for index in (0..<head.pointee.fields.count).reversed()
        where head.pointee.fields[index].id == .xForwardedFor {
            let list = text(head.pointee.fields[index].value, bytes)
            var end = list.count
            while end > 0 {
                var start = end
                while start > 0, list[start - 1] != UInt8(ascii: ",") { start -= 1 }
                let member = trimmed(UnsafeBufferPointer(rebasing: list[start..<end]))
                end = start - 1
                guard !member.isEmpty else { continue }
                guard let address = PeerAddress(text: member), tell(address) else { return }
            }
        }
    }

    /// Tells the members of the chain from its beginning, whatever they are.
    private func forEachForwardedMember(
        _ bytes: UnsafeMutablePointer<UInt8>, _ tell: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        let head = pointee.head
        for index in 0..<head.pointee.fields.count where head.pointee.fields[index].id == .xForwardedFor {
            let list = text(head.pointee.fields[index].value, bytes)
            var position = 0
            while let member = CommaList.next(in: list.span, from: &position) {
                tell(UnsafeBufferPointer(rebasing: list[member.range]))
            }
        }
    }

    /// Writes the proxy's `Forwarded` lines, a comma behind each: the last ones, as far as they can be read.
    private func putForwardedElements(_ bytes: UnsafeMutablePointer<UInt8>, into writer: inout HeadWriter) {
        let head = pointee.head
        var first = head.pointee.fields.count
        var elements = 0
        for index in (0..<head.pointee.fields.count).reversed() where head.pointee.fields[index].id == .forwarded {
            guard let count = elementCount(text(head.pointee.fields[index].value, bytes)) else { break }
            elements += count
            guard elements <= Self.chainLimit else { break }
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

    private func trimmed(_ member: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        var (start, end) = (0, member.count)
        while start < end, member[start] == 0x20 || member[start] == 0x09 { start += 1 }
        while start < end, member[end - 1] == 0x20 || member[end - 1] == 0x09 { end -= 1 }
        return UnsafeBufferPointer(rebasing: member[start..<end])
    }
}
