package import Crypto

/// Where audit lines go, and how they name people.
package struct AuditSettings: Sendable {
    /// What a line says of a subject.
    package enum Subject: Sendable, Equatable {
        /// A keyed digest: the same for the same user, and to be guessed by nobody without the key.
        case hashed
        /// `sub` as the issuer says it.
        case plain
        /// Nothing.
        case none
    }

    package var destination = LogSettings.Destination.off
    package var subject = Subject.hashed
    /// The key of the digests, at least 32 bytes; nil: one of this process's own, which ends with it.
    package var subjectKey: Secret?

    package init() {}

    /// Whether a process that started with one may go on with the other.
    func isSame(as other: AuditSettings) -> Bool {
        let keys = [subjectKey, other.subjectKey].map { key in key.map { SHA256.hash($0.reveal().span) } }
        return destination == other.destination && subject == other.subject && keys[0] == keys[1]
    }
}
