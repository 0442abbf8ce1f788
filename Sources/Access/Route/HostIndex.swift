import Bytes

/// Which site a value of Host means at one listener: found by its hash, however many hosts there are.
///
/// A host that is named as a whole comes before one that a wildcard stands for. The listener's own names lead to the routes
/// that name no host.
package struct HostIndex: ~Copyable, Sendable {
    /// How a name is meant: with its port as `Host` says it, or by itself; as a whole, or behind a first label.
    private enum Kind { case authority, wildcard, name, wildcardName }

    private struct Entry {
        let hash: UInt64
        let name: Int32
        let site: UInt16
        let kind: Kind
    }

    private let entries: [Entry]
    private let names: TextList
    private let slots: [Int32]
    private let mask: Int
    private let hasWildcards: Bool

    /// Stands for a name that another listener serves: no wildcard of this one takes it, whose clients may have shown less.
    private static let elsewhere = Int(UInt16.max)
    /// More than any name of a host with its port has.
    private static let longest = 320

    /// The hosts of the listener at this place; `hasOwnSite` says whether routes without a host are its own.
    package init(_ settings: AccessSettings, listener: Int, hasOwnSite: Bool) {
        var entries: [Entry] = []
        var names: [String] = []
        var seen: Set<String> = []
        func append(_ name: String, _ site: Int, _ kind: Kind) {
            guard seen.insert("\(kind) \(name)").inserted else { return }
            entries.append(
                Entry(
                    hash: HostIndex.hash(Array(name.utf8).span), name: Int32(names.count), site: UInt16(clamping: site),
                    kind: kind))
            names.append(name)
        }
        for (place, host) in settings.hosts.enumerated() where host.isServed(at: listener) || !host.isWildcard {
            let site = host.isServed(at: listener) ? settings.publicURLs.count + place : HostIndex.elsewhere
            for authority in host.authorities {
                append(authority, site, host.isWildcard ? .wildcard : .authority)
                append(HostIndex.name(of: authority), site, host.isWildcard ? .wildcardName : .name)
            }
        }
        if hasOwnSite, settings.authorities.indices.contains(listener) {
            for authority in settings.authorities[listener] {
                append(authority, listener, .authority)
                append(HostIndex.name(of: authority), listener, .name)
            }
            for authority in settings.authorities.joined() { append(authority, HostIndex.elsewhere, .authority) }
        }
        var size = 16
        while size < entries.count * 4 { size *= 2 }
        var slots = [Int32](repeating: -1, count: size)
        for (index, entry) in entries.enumerated() {
            var slot = Int(truncatingIfNeeded: entry.hash) & (size - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = Int32(index)
        }
        hasWildcards = entries.contains { $0.kind == .wildcard }
        mask = size - 1
        self.entries = entries
        self.names = TextList(names)
        self.slots = slots
    }

    /// The site that an authority means, or nil.
    package func site(of authority: Span<UInt8>) -> Int? {
        site(of: authority, .authority, .wildcard)
    }

    /// The site that a host by itself means, whichever port it is called at; or nil.
    ///
    /// For answers that lead to the site's own URL and serve nothing: the port of plain HTTP is part of no site's.
    package func site(ofName host: Span<UInt8>) -> Int? { site(of: host, .name, .wildcardName) }

    @inline(__always)
    private func site(of host: Span<UInt8>, _ whole: Kind, _ behindLabel: Kind) -> Int? {
        guard host.count <= HostIndex.longest else { return nil }
        if let site = find(host, whole) { return site == HostIndex.elsewhere ? nil : site }
        guard hasWildcards else { return nil }
        var end = 0
        while end < host.count, HostIndex.isOfLabel(host[end]) { end &+= 1 }
        guard (1...63).contains(end), end < host.count, host[end] == UInt8(ascii: ".") else { return nil }
        return find(host.extracting(droppingFirst: end), behindLabel)
    }

    /// An authority without its port.
    private static func name(of authority: String) -> String {
        guard let colon = authority.utf8.lastIndex(of: UInt8(ascii: ":")), !authority.hasSuffix("]") else {
            return authority
        }
        return String(authority[..<colon])
    }

    private func find(_ name: Span<UInt8>, _ kind: Kind) -> Int? {
        let hash = HostIndex.hash(name)
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] >= 0 {
            let entry = entries[Int(slots[slot])]
            if entry.hash == hash, entry.kind == kind,
                ASCII.equalsIgnoringCase(name, names[Int(entry.name)])
            {
                return Int(entry.site)
            }
            slot = (slot &+ 1) & mask
        }
        return nil
    }

    private static func isOfLabel(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    // FNV-1a, as of paths: the names are the operator's, so nobody can choose colliding ones.
    private static func hash(_ name: Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for index in name.indices {
            hash = (hash ^ UInt64(ASCII.lowercase(name[index]))) &* 0x0000_0100_0000_01b3
        }
        return hash
    }
}
