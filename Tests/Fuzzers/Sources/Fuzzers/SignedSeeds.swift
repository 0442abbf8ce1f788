import Glibc
import JOSE

/// Everything that was ever signed for a target: its seeds `accepted-…` and `refused-signed-…`.
///
/// The private keys are gone, or published where nobody signs what we would take.
struct SignedSeeds {
    private let signed: Set<[UInt8]>

    /// The seeds of the folder of this name.
    init(_ folder: String) {
        signed = Set(Self.tokens(in: folder).map(Self.signingInput))
        hold(!signed.isEmpty, "there are seeds")
    }

    /// Whether the owner of the keys signed this token's header and payload, whatever the signature beside them.
    func contain(_ token: [UInt8]) -> Bool { signed.contains(Self.signingInput(token)) }

    private static func signingInput(_ token: [UInt8]) -> [UInt8] {
        Array(token[..<(token.lastIndex(of: UInt8(ascii: ".")) ?? 0)])
    }

    private static func tokens(in folder: String) -> [[UInt8]] {
        SeedFolder.inputs(in: folder) { $0.hasPrefix("accepted-") || $0.hasPrefix("refused-signed-") }
            .map(DecodedParts.token)
    }
}

/// Everything that was ever encrypted for a target: its seeds `accepted-…` and `refused-encrypted-…`.
struct EncryptedSeeds {
    private let tokens: Set<[UInt8]>

    /// The seeds of the folder of this name.
    init(_ folder: String) {
        let inputs = SeedFolder.inputs(in: folder) {
            $0.hasPrefix("accepted-") || $0.hasPrefix("refused-encrypted-")
        }
        tokens = Set(inputs.map { DecodedParts.token($0, segments: 5) })
        hold(!tokens.isEmpty, "there are seeds")
    }

    /// Whether these very bytes were encrypted.
    func contain(_ token: [UInt8]) -> Bool { tokens.contains(token) }
}

/// The inputs that a run begins with.
enum SeedFolder {
    /// Those of the folder of this name whose own name is one of these.
    static func inputs(in folder: String, where isWanted: (String) -> Bool) -> [[UInt8]] {
        guard let root = environment("FUZZ_SEEDS"), let entries = opendir("\(root)/\(folder)") else { return [] }
        defer { closedir(entries) }
        var inputs: [[UInt8]] = []
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if isWanted(name) { inputs.append(contents(of: "\(root)/\(folder)/\(name)")) }
        }
        return inputs
    }

    private static func contents(of path: String) -> [UInt8] {
        guard let file = fopen(path, "rb") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = getc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
        return bytes
    }
}

/// Public keys, used again and again as a worker does.
struct KnownKeys {
    let set: KeySet
    let keys: VerificationKeys

    /// The keys of a JWK Set.
    init(_ jwks: String) {
        let bytes = Array(jwks.utf8)
        guard let set = try? KeySet.parse(bytes.span), set.ignored.isEmpty else { fatalError("the keys are keys") }
        self.set = set
        keys = VerificationKeys(set)
    }
}
