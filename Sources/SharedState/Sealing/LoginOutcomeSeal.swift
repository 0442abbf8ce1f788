import Crypto

/// Where a login led, and the session that came of it: what a browser that comes back with a used state is answered by.
package struct LoginOutcome: Sendable, Equatable {
    /// The session's identifier.
    package let session: [UInt8]
    /// The page, an address of ours.
    package let location: String

    package init(session: [UInt8], location: String) {
        self.session = session
        self.location = location
    }
}

/// Seals outcomes of logins: an address may say who somebody is and what he does.
///
/// The key is made of the login's state and of a key of the ring: whoever writes to the store makes none, and sends no browser
/// anywhere.
struct LoginOutcomeSeal: Sendable {
    private let envelope: StoreEnvelope

    private static let purpose = Array("portcullis shared login outcome".utf8)

    init(ring: StoreKeyRing, format: StoreFormat = .newest) {
        envelope = StoreEnvelope(ring, purpose: LoginOutcomeSeal.purpose, format: format)
    }

    /// The value of an outcome; `nonce` are twelve random bytes.
    func seal(
        _ outcome: LoginOutcome, state: [UInt8], under name: StoreName, nonce: [UInt8]
    ) throws(CryptoRefusal) -> [UInt8] {
        var fields: [UInt8] = []
        fields.append(block: outcome.session)
        fields += Array(outcome.location.utf8)
        return try envelope.seal(
            fields, secret: Secret(state), salt: [], to: LoginOutcomeSeal.binding(name), nonce: nonce)
    }

    /// The outcome of a value; nil for one that is not what was sealed for this state.
    ///
    /// Refuses what another release wrote, or one with a key that is not here: nobody here can say what that is.
    func open(_ value: [UInt8], state: [UInt8], under name: StoreName) throws(StoreRefusal) -> LoginOutcome? {
        switch envelope.open(value, secret: Secret(state), salt: [], from: LoginOutcomeSeal.binding(name)) {
        case .bytes(let fields): return LoginOutcomeSeal.outcome(fields)
        case .unopened(.altered): return nil
        case .unopened(.keyUnknown), .unreadable: throw .unexpected
        }
    }

    private static func outcome(_ fields: [UInt8]) -> LoginOutcome? {
        guard fields.count >= 4 else { return nil }
        let count = fields[..<4].reduce(0) { $0 << 8 | Int($1) }
        guard count <= fields.count - 4, let location = String(validating: fields[(4 + count)...], as: UTF8.self)
        else { return nil }
        return LoginOutcome(session: Array(fields[4..<(4 + count)]), location: location)
    }

    private static func binding(_ name: StoreName) -> StoreEnvelope.Binding {
        StoreEnvelope.Binding(name: name, generation: 0)
    }
}
