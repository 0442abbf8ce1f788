/// Bytes that must not be seen: prints, dumps and mirrors as `[secret]`.
///
/// Deliberately not `Equatable`: `==` stops at the first difference, and an attacker can time that.
/// Compare with `ConstantTime.equal`.
public struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let bytes: [UInt8]

    /// Takes charge of `bytes`.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Bytes of the secret, which is no secret.
    public var count: Int { bytes.count }

    /// The bytes; each caller is found by searching for this word.
    public func reveal() -> [UInt8] { bytes }

    /// `[secret]`.
    public var description: String { "[secret]" }

    /// `[secret]`.
    public var debugDescription: String { "[secret]" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: nil) }
}
