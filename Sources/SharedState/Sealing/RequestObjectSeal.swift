import Crypto

/// Seals request objects that the authorization server fetches here: they have the login's state in clear.
///
/// The key is made of the last segment of the object's URL and of a key of the ring: the store has neither.
struct RequestObjectSeal: Sendable {
    private let envelope: StoreEnvelope

    private static let purpose = Array("portcullis shared request object".utf8)

    init(ring: StoreKeyRing, format: StoreFormat = .newest) {
        envelope = StoreEnvelope(ring, purpose: RequestObjectSeal.purpose, format: format)
    }

    /// The value of an object; `nonce` are twelve random bytes.
    func seal(
        _ object: [UInt8], reference: Secret, under name: StoreName, nonce: [UInt8]
    ) throws(CryptoRefusal) -> [UInt8] {
        try envelope.seal(object, secret: reference, salt: [], to: RequestObjectSeal.binding(name), nonce: nonce)
    }

    /// The object of a value.
    func open(_ value: [UInt8], reference: Secret, under name: StoreName) -> StoreEnvelope.Opened {
        envelope.open(value, secret: reference, salt: [], from: RequestObjectSeal.binding(name))
    }

    private static func binding(_ name: StoreName) -> StoreEnvelope.Binding {
        StoreEnvelope.Binding(name: name, generation: 0)
    }
}
