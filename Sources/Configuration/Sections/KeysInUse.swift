import Crypto
import Gateway
import Issuers
import JOSE
import OAuth

/// Compares the private keys of the configuration with one another: a key has one purpose (CA-10, RFC 8725 §3.12).
struct KeysInUse {
    private typealias ClientKey = (client: ClientSettings, numbers: PrivateKey.PublicNumbers, place: Place)

    private let clientKeys: [ClientKey]
    private let assertionKeys: [(numbers: PrivateKey.PublicNumbers, place: Place)]

    init(_ document: CheckedObject, _ clients: [ClientSettings], _ assertionKeys: AssertionKeySettings) {
        let entries = document.entries("clients")
        clientKeys = clients.compactMap { client in
            guard case .privateKeyJWT(let key) = client.credentials.method,
                let entry = entries.first(where: { $0.name == client.name })
            else { return nil }
            let place = entry.value?.object?.object("authentication")?.place(of: "key") ?? entry.place
            return (client, key.key.publicNumbers, place)
        }
        // Where a file was refused, the others' places are not known any more; the refusal stands anyway.
        let files = document.object("assertion_keys")?.texts("files") ?? []
        let keys = assertionKeys.keys.compactMap { try? PrivateKey(pem: $0) }
        self.assertionKeys =
            files.count == keys.count ? zip(keys, files).map { ($0.publicNumbers, $1.place) } : []
    }

    func judge(_ problems: ProblemList) {
        for (index, key) in assertionKeys.enumerated() {
            if let client = clientKeys.first(where: { $0.numbers == key.numbers }) {
                problems.error(
                    at: key.place, expected: "a key of its own for identity assertions",
                    found: "the key of the client \(client.client.name)",
                    remedy: "what one signs must never pass for the other: make another key")
            }
            if assertionKeys[..<index].contains(where: { $0.numbers == key.numbers }) {
                problems.error(
                    at: key.place, expected: "each key once", found: "the same key again",
                    remedy: "keep one of them")
            }
        }
        for (index, key) in clientKeys.enumerated() {
            // A server whose metadata names another one's endpoint would be handed an assertion for that one (CA-11).
            guard
                let other = clientKeys[..<index].first(where: { other in
                    other.numbers == key.numbers && other.client.issuer != key.client.issuer
                        && [key, other].contains { $0.client.credentials.assertionAudience != .issuer }
                })
            else { continue }
            problems.error(
                at: key.place, expected: "a key of its own for each issuer, or audience: issuer for all of them",
                found: "the key of the client \(other.client.name) at another issuer",
                remedy: "one issuer could present the assertion to the other: make another key")
        }
    }
}
