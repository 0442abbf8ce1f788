import Bytes
import Crypto
import JOSE
import JSON

/// Makes the keys that a configuration refers to, as `portcullis keys new` writes them.
package enum NewKey {
    /// What a key is for.
    package enum Purpose: String, Sendable, CaseIterable {
        /// Proves who the client is, and signs authorization requests.
        case client
        /// Seals sessions.
        case session
        /// Seals what several gateways share.
        case store
        /// Signs identity assertions for upstreams.
        case assertion
    }

    /// A key that nobody else has.
    package struct Made: Sendable {
        let text: Secret
        /// The public half as a JWK, for whoever verifies; nil for a key that seals.
        package let publicKey: String?

        /// What goes into the file, with a line break at its end.
        package func reveal() -> [UInt8] { text.reveal() }
    }

    /// Why no key was made.
    package enum Refusal: Error, Sendable, Equatable {
        case unknownAlgorithm(String)
        /// A key that seals has no algorithm to choose.
        case algorithmOfSealing
        case libraryFailed

        /// What the operator reads.
        package var words: String {
            switch self {
            case .unknownAlgorithm(let name):
                "no algorithm of keys: \(Quoted.text(name)); \(Suggestion.remedy(for: name, among: AlgorithmText.names, called: "algorithms"))"
            case .algorithmOfSealing: "a key that seals has no algorithm: leave --algorithm out"
            case .libraryFailed: "OpenSSL made no key"
            }
        }
    }

    /// A new key for `purpose`; ES256 unless another algorithm is named.
    package static func make(_ purpose: Purpose, algorithm: String? = nil) throws(Refusal) -> Made {
        guard purpose != .session, purpose != .store else {
            guard algorithm == nil else { throw .algorithmOfSealing }
            let text = Base64URL.encode(RandomBytes.fill(SessionKeyText.bytes).span)
            return Made(text: Secret(Array("\(text)\n".utf8)), publicKey: nil)
        }
        guard let algorithm = AlgorithmText.algorithm(algorithm ?? "ES256") else {
            throw .unknownAlgorithm(algorithm ?? "")
        }
        do throws(SigningRefusal) {
            let pem = try NewPrivateKey.pem(kind(algorithm))
            return Made(text: pem, publicKey: text(try SigningJWK(pem: pem, algorithm: algorithm).published))
        } catch {
            throw .libraryFailed
        }
    }

    private static func kind(_ algorithm: SignatureAlgorithm) -> NewPrivateKey.Kind {
        switch algorithm {
        case .es256: .generated(.p256)
        case .es384: .generated(.p384)
        case .es512: .generated(.p521)
        case .edDSA: .generated(.ed25519)
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: .rsa
        }
    }

    /// The one key of a set, alone.
    private static func text(_ key: JWK) -> String? {
        guard let set = try? JSONValue.parse(owned: JWKSetWriter.write([key])), let key = set["keys"]?.elements.first
        else { return nil }
        var writer = JSONWriter()
        writer.value(key)
        return writer.text
    }
}
