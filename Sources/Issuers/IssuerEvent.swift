import HTTPMessage

/// Something worth a log line or a count about one issuer's metadata and keys.
package enum IssuerEvent: Sendable, Equatable {
    /// A metadata document was believed; `jwksURI` is where the keys are.
    case metadataAccepted(jwksURI: String)
    /// A metadata document could not be read again; the one at hand stays in use.
    case metadataKept(IssuerRefusal)
    /// The metadata points to another host for the keys than before (MD-05): an alarm.
    case jwksHostChanged(from: String, to: String)
    /// Keys that differ from the ones before are in use; `removed` counts those that vanished or changed.
    case keysPublished(count: Int, ignored: Int, removed: Int)
    /// The same keys were read again.
    case keysUnchanged(count: Int)
    /// The key set holds private or secret key material for all to read (JOSE-18): an alarm.
    case privateKeyExposed(count: Int)
    /// So many keys in use are of a generator that made private keys guessable (ROCA).
    case guessableKeys(count: Int)
    /// Nothing was learned; what is at hand stays in use until its time is over. A static document is not tried again.
    case refreshFailed(IssuerRefusal, nextAttemptSeconds: Int?)
    /// The keys at hand are past their freshness and are withdrawn after that many seconds more (D-17).
    case stale(withdrawnInSeconds: Int)
    /// The keys were too old to go on with: tokens of this issuer are answered 503 from now on.
    case withdrawn
    /// A token named a key that is not at hand, so the key set is read again (JOSE-17).
    case unknownKeyRefetch
    /// A token named a key that is not at hand, but the last reading for that reason is too recent (JOSE-17).
    case unknownKeyRefetchSuppressed
    /// The issuer could not say whether tokens are active; `count` times since this was last told (INT-05).
    case introspectionFailed(LookupRefusal, count: Int)
    /// The issuer gave no token for an upstream; `count` times since this was last told.
    case exchangeFailed(LookupRefusal, count: Int)
    /// The issuer does not take this gateway for its client of that name; an alarm, once a minute at most.
    case clientRefused(client: String, status: Int, count: Int)
    /// The issuer knows nothing of the upstream that a token was to be exchanged for; an alarm, once a minute at most.
    case exchangeTargetRefused(client: String, count: Int)
}

extension IssuerEvent {
    /// The alarm to raise when keys are to be read from another host than before, if it is another.
    static func hostChange(from known: String, to found: String) -> IssuerEvent? {
        let (old, new) = (URI(known)?.host ?? "", URI(found)?.host ?? "")
        return old == new ? nil : .jwksHostChanged(from: old, to: new)
    }
}
