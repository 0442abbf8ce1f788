import Bytes
package import Crypto

/// The digests by which the store calls the scripts: computed once, when the gateway starts.
package struct StoreScripts: Sendable {
    private let digests: [StoreScript: [UInt8]]

    /// Refuses where the library has no SHA-1, which names scripts and protects nothing.
    package init() throws(CryptoRefusal) {
        var digests: [StoreScript: [UInt8]] = [:]
        for script in StoreScript.allCases {
            guard let digest = SHA1.hash(Array(script.text.utf8).span) else { throw .notBuilt }
            digests[script] = Array(Hex.encode(digest.span).utf8)
        }
        self.digests = digests
    }

    /// Forty digits.
    func digest(_ script: StoreScript) -> [UInt8] { digests[script, default: []] }

    /// The arguments of the command that runs a script on a key.
    func call(_ script: StoreScript, on key: StoreName, _ arguments: [[UInt8]]) -> [[UInt8]] {
        [Array("EVALSHA".utf8), digest(script), Array("1".utf8), key.bytes] + arguments
    }

    /// The names of the commands that scripts call, for an operator whose user lacks one of them.
    package static let commands = Set(
        StoreScript.allCases.flatMap { script in
            script.text.split(separator: "redis.call('").dropFirst().compactMap {
                $0.prefix { $0 != "'" }.lowercased()
            }
        }
    ).sorted().joined(separator: ", ")

    /// The commands that give the store all scripts: for a new connection, and after `NOSCRIPT`.
    package static var loading: [[[UInt8]]] {
        StoreScript.allCases.map { ["SCRIPT", "LOAD", $0.text].map { Array($0.utf8) } }
    }
}
