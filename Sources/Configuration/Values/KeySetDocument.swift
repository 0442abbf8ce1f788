import JOSE

/// The static JWK Set of an issuer, judged by the parser that also judges fetched ones.
enum KeySetDocument {
    /// What is wrong with the document, or nil.
    static func fault(_ bytes: [UInt8]) -> String? {
        do throws(JOSERefusal) {
            let set = try KeySet.parse(bytes.span)
            // A fetched set leaves such a key out; a file with one is the wrong file, and readable by everybody.
            if let key = set.ignored.first(where: \.reason.isAlarm) {
                return "private key material in the key at position \(key.position)"
            }
            guard set.keys.isEmpty else { return nil }
            return set.ignored.first.map { "no usable key (the first: \($0.reason))" } ?? "no key"
        } catch .keySetNotJSON(let refusal) {
            return "no strict JSON (\(refusal))"
        } catch .keySetWithoutKeys {
            return "no object with a list keys"
        } catch {
            return "a document that is not believed (\(error))"
        }
    }
}
