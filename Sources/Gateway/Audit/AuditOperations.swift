import Access
import Bytes
import Crypto
import Glibc
import JOSE
import Telemetry
import Transport

/// What a configuration is served because of.
enum AuditCause: String, CaseIterable {
    case start, signal
    /// A file that was read for it is another one.
    case watch

    init(_ cause: ReloadCause) {
        switch cause {
        case .signal: self = .signal
        case .file: self = .watch
        }
    }
}

/// What the audit log says of the operator's doings; on the control loop.
extension Gateway {
    /// A configuration is served by, and what of its keys is another one than `before`.
    func auditApplied(_ generation: Generation, by cause: AuditCause, after before: Generation? = nil) {
        guard let audit else { return }
        var fields = [AuditField(.by, cause.rawValue), AuditField(.generation, Int(generation.number))]
        // As `sha256sum` shows it of the file; there is none where the settings came from no text.
        let text = reload.text.bytes
        if !text.isEmpty { fields.append(AuditField(.digest, Hex.encode(SHA256.hash(text.span).bytes.span))) }
        audit.write(.configurationApplied, fields)
        guard let old = before?.keyPrints, let new = generation.keyPrints else { return }
        for print in new.changes(from: old) {
            // Assertion keys are told by which of them signs now, whether they came from files or were made here.
            let signer = print.kind == .assertionKeys ? generation.assertionKeys?.keys.signer.keyID : nil
            var fields = [AuditField(.key, print.kind.rawValue), AuditField(.name, signer ?? print.name)]
            // A certificate is everybody's to see; a secret's digest could be held against guesses.
            if print.kind == .tlsCertificate { fields.append(AuditField(.digest, Hex.encode(print.digest.bytes.span))) }
            audit.write(.keyRotated, fields)
        }
    }

    /// Somebody asked the admin listener for an explanation.
    func auditLook(at path: String, status: UInt16, from descriptor: Int32) {
        guard let audit, path.hasPrefix(AdminPage.explanations) else { return }
        var fields = [AuditField(.sourceAddress, Self.peer(of: descriptor)), AuditField(.status, Int(status))]
        let name = AdminPage.nameOfDecision(in: path.dropFirst(AdminPage.explanations.utf8.count))
        if let decision = decisions?.find(name.text) {
            fields.append(AuditField(.requestID, decision.id.text))
            fields.append(AuditField(.decisionID, DecisionID(decision.id, generation: decision.generation).text))
        }
        audit.writeLook(fields)
    }

    /// Says what was left out of the audit log, and the operator what of it was lost.
    func sweepAudit(all: Bool = false) {
        guard let lost = audit?.sweep(all: all), lost > 0 else { return }
        operatorLog.write(.error, .auditLinesLost, LogField(.count, lost))
    }

    private static func peer(of descriptor: Int32) -> String {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isKnown = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) == 0 }
        }
        var address = SocketAddress()
        (address.storage, address.length) = (storage, length)
        return isKnown ? PeerAddress(address).text : ""
    }
}
