/// Bytes that must not be seen: prints, dumps and mirrors as `[secret]`.
///
/// Deliberately not `Equatable`: `==` stops at the first difference, and an attacker can time that.
/// Compare with `ConstantTime.equal`. The bytes are overwritten when the last copy of the value is gone.
public struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let storage: SecretBytes

    /// Takes charge of `bytes`.
    public init(_ bytes: [UInt8]) {
        storage = SecretBytes(bytes)
    }

    /// Bytes of the secret, which is no secret.
    public var count: Int { storage.bytes.count }

    /// The bytes; each caller is found by searching for this word.
    ///
    /// An array that outlives the value keeps them: it is the caller's then.
    public func reveal() -> [UInt8] { storage.bytes }

    /// `[secret]`.
    public var description: String { "[secret]" }

    /// `[secret]`.
    public var debugDescription: String { "[secret]" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: nil) }
}
