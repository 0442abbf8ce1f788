import COpenSSL
import Glibc

/// What the callbacks of a server's context need, kept for as long as OpenSSL keeps the context.
///
/// A handshake holds its `SSL_CTX`, and so this, when a reload has long let go of the `ServerTLS`.
final class ContextExtras: @unchecked Sendable {
    let ticketKeys: TicketKeys
    /// In the context that connections begin with: those that SNI chooses from, itself left out.
    private let siblings: [OpaquePointer]
    /// The first of these for a name, in lower case, a wildcard's with its asterisk: a listener may have a thousand.
    private let byName: [String: Int]
    /// Those whose names are more, or others, than can be looked up so.
    private let unlisted: [Int]

    /// `siblings` are kept as long as this is.
    private init(_ ticketKeys: TicketKeys, siblings: [OpaquePointer]) {
        self.ticketKeys = ticketKeys
        self.siblings = siblings
        var byName: [String: Int] = [:]
        var unlisted: [Int] = []
        for (index, sibling) in siblings.enumerated() {
            SSL_CTX_up_ref(sibling)
            let names = SSL_CTX_get0_certificate(sibling).map { CertificateFacts.names(of: $0) } ?? []
            for name in names where byName[name.lowercased()] == nil { byName[name.lowercased()] = index }
            let isListed = names.allSatisfy { name in
                !(name.hasPrefix("*.") ? name.dropFirst(2) : name[...]).utf8.contains(UInt8(ascii: "*"))
            }
            if !isListed || names.isEmpty || names.count >= CertificateFacts.nameLimit { unlisted.append(index) }
        }
        self.byName = byName
        self.unlisted = unlisted
    }

    deinit { for sibling in siblings { SSL_CTX_free(sibling) } }

    /// Gives a context its extras; false when OpenSSL has no memory for them.
    static func attach(_ ticketKeys: TicketKeys, siblings: [OpaquePointer], to context: OpaquePointer) -> Bool {
        let extras = Unmanaged.passRetained(ContextExtras(ticketKeys, siblings: siblings))
        guard SSL_CTX_set_ex_data(context, place, extras.toOpaque()) == 1 else {
            extras.release()
            return false
        }
        return true
    }

    /// Those of the context that a connection has now.
    static func of(_ ssl: OpaquePointer) -> ContextExtras? {
        guard let context = SSL_get_SSL_CTX(ssl), let extras = SSL_CTX_get_ex_data(context, place) else { return nil }
        return Unmanaged<ContextExtras>.fromOpaque(extras).takeUnretainedValue()
    }

    /// The context to go on with for a name; nil when it is the one that `own` is already, or none has that name.
    func context(named name: UnsafePointer<CChar>, besides own: OpaquePointer) -> OpaquePointer? {
        guard !siblings.isEmpty, !ContextExtras.certificate(of: own, names: name) else { return nil }
        let text = String(cString: name).lowercased()
        var places = unlisted
        if let place = byName[text] { places.append(place) }
        if let dot = text.utf8.firstIndex(of: UInt8(ascii: ".")), let place = byName["*" + text[dot...]] {
            places.append(place)
        }
        // The first in the order of the configuration, as ever.
        return places.sorted().map { siblings[$0] }.first { ContextExtras.certificate(of: $0, names: name) }
    }

    private static func certificate(of context: OpaquePointer, names name: UnsafePointer<CChar>) -> Bool {
        guard let certificate = SSL_CTX_get0_certificate(context) else { return false }
        return X509_check_host(certificate, name, strlen(name), 0, nil) == 1
    }

    // Freed by OpenSSL with the context.
    private static let place = CRYPTO_get_ex_new_index(
        CRYPTO_EX_INDEX_SSL_CTX, 0, nil, nil, nil,
        { _, extras, _, _, _, _ in
            if let extras { Unmanaged<ContextExtras>.fromOpaque(extras).release() }
        })
}
