import Access
import Crypto
import Gateway
import Issuers
import Login
import OAuth
import Sessions

/// Compares the keys that seal sessions with the other secrets of the configuration: none has two purposes.
struct SessionKeysInUse {
    private let logins: [LoginSettings]
    private let entries: [CheckedEntry]
    private let others: [(key: [UInt8], name: String)]

    init(
        _ document: CheckedObject, _ clients: [ClientSettings], _ logins: [LoginSettings], _ proofs: ProofSettings
    ) {
        self.logins = logins
        entries = document.entries("clients")
        let nonces = proofs.nonceKeys.compactMap { SessionKeyText.decode($0.reveal()).map { ($0, "a key of nonces") } }
        let secrets = clients.compactMap { client in
            client.credentials.method.secret.flatMap { SessionKeyText.decode($0.reveal()) }
                .map { ($0, "the secret of the client \(client.name)") }
        }
        others = nonces + secrets
    }

    func judge(_ problems: ProblemList) {
        for login in logins {
            guard let entry = entries.first(where: { $0.name == login.name }),
                let values = entry.value?.object?.object("session")?.list("keys"),
                values.count == login.session.keys.count
            else { continue }
            for (key, value) in zip(login.session.keys, values) {
                guard let other = others.first(where: { ConstantTime.equal($0.key.span, key.reveal().span) }) else {
                    continue
                }
                problems.error(
                    at: value.place, expected: "a key of its own for sessions", found: other.name,
                    remedy: "a key has one purpose: make one with  portcullis keys new session --out FILE")
            }
        }
    }
}
