import Gateway
import Issuers
import JOSE
import Login
import OAuth

/// Compares the private keys of logins with one another and with the gateway's own (CA-10, MD-31).
struct LoginKeysInUse {
    /// What a key does; a key has one purpose (RFC 8725 §3.12).
    private enum Purpose: Equatable {
        case authentication, requests, decryption, identityAssertions

        /// Whether one key may do both: `typ` keeps assertions and request objects apart (RFC 9101 §10.8).
        func goes(with other: Purpose) -> Bool {
            let client: [Purpose] = [.authentication, .requests]
            return self == other || client.contains(self) && client.contains(other)
        }
    }

    private struct Key {
        var purpose: Purpose
        var published: JWK
        var place: Place
        /// The client's name; nil for the gateway's own.
        var client: String?
    }

    private var keys: [Key] = []

    init(
        _ document: CheckedObject, _ clients: [ClientSettings], _ logins: [LoginSettings],
        _ assertionKeys: AssertionKeySettings
    ) {
        let entries = document.entries("clients")
        for login in logins where clients.indices.contains(login.client) {
            guard let entry = entries.first(where: { $0.name == login.name }), let object = entry.value?.object else {
                continue
            }
            add(login, clients[login.client], object, entry.place)
        }
        let files = document.object("assertion_keys")?.texts("files") ?? []
        let own = assertionKeys.keys.compactMap { try? SigningJWK(pem: $0) }
        guard files.count == own.count else { return }
        for (key, file) in zip(own, files) {
            keys.append(
                Key(
                    purpose: .identityAssertions, published: key.published,
                    place: file.place))
        }
    }

    private mutating func add(
        _ login: LoginSettings, _ client: ClientSettings, _ object: CheckedObject, _ place: Place
    ) {
        let name = login.name
        if case .privateKeyJWT(let key) = client.credentials.method {
            let place = object.object("authentication")?.place(of: "key") ?? place
            keys.append(
                Key(
                    purpose: .authentication, published: key.published, place: place,
                    client: name))
        }
        if let key = login.keys.requestObject, let own = object.object("request_object"), own.says("key") {
            keys.append(
                Key(
                    purpose: .requests, published: key.published,
                    place: own.place(of: "key"), client: name))
        }
        for (key, value) in zip(login.keys.published, object.list("published_keys")) {
            keys.append(Key(purpose: .requests, published: key, place: value.place, client: name))
        }
        for (key, value) in zip(login.keys.decryption, object.list("decryption_keys")) {
            keys.append(
                Key(
                    purpose: .decryption, published: key.published,
                    place: value.place, client: name))
        }
    }

    func judge(_ problems: ProblemList) {
        for (index, key) in keys.enumerated() {
            let earlier = keys[..<index]
            if let other = earlier.first(where: { isSame($0, key) && !$0.purpose.goes(with: key.purpose) }) {
                // KeysInUse tells of keys of private_key_jwt that sign identity assertions.
                guard other.purpose != .authentication || key.purpose != .identityAssertions else { continue }
                problems.error(
                    at: key.place, expected: "a key of its own for \(words(key.purpose))",
                    found: "the key on \(other.place.position.words), which is for \(words(other.purpose))",
                    remedy: "a key has one purpose (RFC 8725 section 3.12): make another")
            } else if let other = earlier.first(where: { isSame($0, key) && !isAlike($0, key) }) {
                problems.error(
                    at: key.place, expected: "one algorithm and one kid for each key",
                    found: "the key on \(other.place.position.words) with another",
                    remedy:
                        "a key has one algorithm (RFC 8725 section 3.1): make another, or leave algorithm and key_id out"
                )
            } else if let other = earlier.first(where: { $0.published.keyID == key.published.keyID && !isSame($0, key) }
            ) {
                problems.error(
                    at: key.place, expected: "a kid of its own for each published key",
                    found:
                        "\(Quoted.text(key.published.keyID ?? "")), which is also that of \(other.place.position.words)",
                    remedy:
                        "servers would take either key: leave key_id out (the kid is the key's thumbprint then), or rename one"
                )
            }
        }
    }

    private func isSame(_ left: Key, _ right: Key) -> Bool { left.published.material == right.published.material }

    private func isAlike(_ left: Key, _ right: Key) -> Bool {
        left.published.keyID == right.published.keyID && left.published.algorithm == right.published.algorithm
    }

    private func words(_ purpose: Purpose) -> String {
        switch purpose {
        case .authentication: "a client's assertions"
        case .requests: "authorization requests"
        case .decryption: "decryption"
        case .identityAssertions: "identity assertions"
        }
    }
}
