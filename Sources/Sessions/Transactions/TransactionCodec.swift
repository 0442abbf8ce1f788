import Crypto

/// Login transactions as bytes, as few as can be: a browser may have twenty of them.
///
///     flags ‖ seed (32) ‖ created ‖ what the flags announce
enum TransactionCodec {
    private struct Parts: OptionSet {
        let rawValue: UInt8
        static let target = Parts(rawValue: 1)
        static let stepUp = Parts(rawValue: 2)
        static let maximumAge = Parts(rawValue: 4)
        static let attempts = Parts(rawValue: 8)
        static let form = Parts(rawValue: 16)
        static let fragment = Parts(rawValue: 32)
        static let otherAccount = Parts(rawValue: 64)
        static let all: Parts = [target, stepUp, maximumAge, attempts, form, fragment, otherAccount]
    }

    static let seedLength = 32

    static func encode(_ transaction: LoginTransaction) -> [UInt8] {
        var parts: Parts = []
        if !transaction.returnTo.utf8.elementsEqual("/".utf8) { parts.insert(.target) }
        if transaction.stepUp != nil { parts.insert(.stepUp) }
        if transaction.stepUp?.maximumAge != nil { parts.insert(.maximumAge) }
        if transaction.attempts > 0 { parts.insert(.attempts) }
        if transaction.keepsForm { parts.insert(.form) }
        if transaction.isOtherAccount { parts.insert(.otherAccount) }
        if transaction.fragment != nil { parts.insert(.fragment) }
        var writer = FieldWriter()
        writer.byte(parts.rawValue)
        for byte in transaction.seed.reveal() { writer.byte(byte) }
        writer.time(transaction.createdAt)
        if parts.contains(.target) { writer.text(transaction.returnTo) }
        if let stepUp = transaction.stepUp { writer.texts(stepUp.acrValues) }
        if let age = transaction.stepUp?.maximumAge { writer.time(Int64(age)) }
        if parts.contains(.attempts) { writer.byte(transaction.attempts) }
        if let fragment = transaction.fragment { writer.text(fragment) }
        return writer.bytes
    }

    /// The transaction of a client; nil for bytes that are not one from the first to the last.
    static func decode(_ bytes: [UInt8], client: String) -> LoginTransaction? {
        var reader = FieldReader(bytes)
        guard let transaction = try? read(&reader, client: client), reader.isAtEnd else { return nil }
        return transaction
    }

    private static func read(_ reader: inout FieldReader, client: String) throws(Malformed) -> LoginTransaction {
        let parts = Parts(rawValue: try reader.byte())
        guard parts.isSubset(of: .all) else { throw Malformed() }
        var seed: [UInt8] = []
        for _ in 0..<seedLength { seed.append(try reader.byte()) }
        var transaction = LoginTransaction(
            seed: Secret(seed), returnTo: "/", createdAt: try reader.time(), client: client)
        transaction.keepsForm = parts.contains(.form)
        transaction.isOtherAccount = parts.contains(.otherAccount)
        if parts.contains(.target) { transaction.returnTo = try reader.text() }
        if parts.contains(.stepUp) { transaction.stepUp = LoginTransaction.Demand(acrValues: try reader.texts()) }
        if parts.contains(.maximumAge) {
            guard parts.contains(.stepUp) else { throw Malformed() }
            transaction.stepUp?.maximumAge = Int(try reader.time())
        }
        if parts.contains(.attempts) { transaction.attempts = try reader.byte() }
        if parts.contains(.fragment) { transaction.fragment = try reader.text() }
        return transaction
    }
}
