import Issuers

/// What became of the server's keys when they were to be read again, because something is signed by none that was at
/// hand (OIDC-17).
enum KeysReadAgain: Sendable {
    /// There are others now: whatever they were wanted for is verified once more, with these.
    case others
    /// They were read, and are what they were: what they did not verify is not the server's.
    case same
    /// They could not be read, or were not because they had been moments ago. The server may have another key by now, so
    /// that nobody can say whose a signature is.
    case failed
}

extension LoginClient {
    /// Has the server's keys read again after `known` have not verified something; how often is limited there (JOSE-17).
    ///
    /// What a signature costs is paid again only where the keys are others: whoever sends bad ones gets nothing for free.
    func readKeysAgain(after known: IssuerKeys?, as who: KeyAsker) async -> KeysReadAgain {
        let isRead = await refresh(as: who)
        guard let keys else { return .failed }
        guard keys.version == known?.version else { return .others }
        // A stranger's made-up token may have spent the reading just before the server took another key: what comes too
        // soon after it may be genuine, and whoever sent it is to send it again.
        guard isRead, !sources.hasFailedToReadKeys(client.issuer) else { return .failed }
        return .same
    }
}
