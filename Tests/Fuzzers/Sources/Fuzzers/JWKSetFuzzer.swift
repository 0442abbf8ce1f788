import Crypto
import JOSE
import JSON

/// An issuer's JWK Set (RFC 7517 §5), and what its keys then verify.
enum JWKSetFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        let first = read(input)
        hold(first == read(input), "the same document is the same set, or refused for the same reason")
        guard case .success(let set) = first else { return .refused }
        guard let document = try? JSONValue.parse(input.span), document.kind == .object, let list = document["keys"]
        else { fatalError("a set is a JSON object with a member keys") }
        hold(set.keys.count + set.ignored.count == list.count, "every key is used or said to be ignored")
        checkPlaces(of: set, in: list)
        checkUses(of: set)
        checkWriting(of: set)
        checkVerifying(with: set)
        return set.keys.isEmpty ? .refused : .accepted
    }

    private static func read(_ document: [UInt8]) -> Result<KeySet, JOSERefusal> {
        Result { () throws(JOSERefusal) in try KeySet.parse(document.span) }
    }

    /// Whose key is which is found again by position: what is ignored, and what says more than a public key may.
    private static func checkPlaces(of set: KeySet, in list: JSONValue) {
        let ignored = set.ignored.map(\.position)
        hold(ignored == ignored.sorted() && Set(ignored).count == ignored.count, "a key is ignored once")
        var used = set.keys.makeIterator()
        for (position, member) in list.elements.enumerated() where !ignored.contains(position) {
            guard let key = used.next() else { fatalError("a key that is used is in the document") }
            hold(member["kty"]?.string == key.keyType.rawValue, "a key has the type that stands there")
            hold(member["kid"]?.string == key.keyID, "a key has the name that stands there")
            let secret = ["d", "k", "p", "q", "dp", "dq", "qi", "oth"].filter { member[$0] != nil }
            hold(secret.isEmpty, "no key is used whose private members are public")
            hold(member["use"] == nil || member["use"]?.string == "sig", "a key is used for what it is for")
            hold(
                member["alg"]?.string.map { $0 == key.algorithm?.name || $0 == "Ed25519" } ?? true,
                "and by its algorithm")
        }
        hold(used.next() == nil, "no key is used that is not in the document")
    }

    private static func checkUses(of set: KeySet) {
        let algorithms: [SignatureAlgorithm] = [
            .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .es256, .es384, .es512, .edDSA,
        ]
        for key in set.keys {
            hold((try? key.makeVerificationKey()) != nil, "a key that is used is a sound one")
            hold(algorithms.contains { key.fits($0) }, "a key that is used verifies something")
        }
        for key in set.encryptionKeys {
            hold(!algorithms.contains { key.fits($0) }, "a key to encrypt with verifies nothing")
            hold(!set.keys.contains(key), "no key is for both")
            hold(KeyManagementAlgorithm.allCases.contains { key.fits($0) }, "a key to encrypt with encrypts something")
        }
        hold(set.encryptionKeys.count <= set.ignored.count, "a key to encrypt with is none to verify with")
    }

    /// What we would publish of them has no private member, and is the same keys to whoever reads it.
    private static func checkWriting(of set: KeySet) {
        let written = JWKSetWriter.write(set.keys)
        guard case .success(let again) = read(written), let document = try? JSONValue.parse(written.span) else {
            fatalError("a set that is written is read")
        }
        hold(again.ignored.isEmpty, "every key that is written is used")
        let names = set.keys.map(\.keyID)
        if Set(names.compactMap(\.self)).count == names.compactMap(\.self).count {
            hold(again.keys.map(\.thumbprint) == set.keys.map(\.thumbprint), "the keys that are written are the same")
        }
        let allowed: Set<String> = ["kty", "kid", "use", "alg", "n", "e", "crv", "x", "y"]
        for key in document["keys"]?.elements ?? [] {
            hold(key.members.allSatisfy { allowed.contains($0.name) }, "no private member is kept")
        }
    }

    /// Tokens that others signed long ago: only the one who did verifies them.
    private static func checkVerifying(with set: KeySet) {
        let keys = VerificationKeys(set)
        hold(keys.count == set.keys.count, "every key that is used is prepared")
        for (token, owner) in signed {
            guard let key = try? keys.verify(token, algorithms: [.rs256, .es256, .edDSA]) else { continue }
            hold(set.keys.contains(key) && key.thumbprint.base64URL == owner, "only the owner's key verifies")
        }
    }

    /// The accepted tokens of the target `jws`, and the thumbprints of the keys that signed them.
    private static let signed: [(CompactJWS, String)] = {
        let seeds = SeedFolder.inputs(in: "jws") { $0.hasPrefix("accepted-") }
        let pairs = seeds.compactMap { seed -> (CompactJWS, String)? in
            let token = DecodedParts.token(seed)
            guard let jws = try? CompactJWS.parse(token.span, maximumBytes: JWSFuzzer.maximumBytes),
                let owner = try? JWSFuzzer.published.keys.verify(jws, algorithms: [.rs256, .es256, .edDSA])
            else { return nil }
            return (jws, owner.thumbprint.base64URL)
        }
        hold(pairs.count >= 3, "the seeds of jws are there")
        return pairs
    }()
}
