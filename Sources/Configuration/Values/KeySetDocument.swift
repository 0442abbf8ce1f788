// SPDX-License-Identifier: Apache-2.0
import JOSE

/// The static JWK Set of an issuer, judged by the parser that also judges fetched ones.
enum KeySetDocument {
    /// What is wrong with the document, or nil.
    static func fault(_ bytes: [UInt8]) -> String? {
        do throws(JOSERefusal) {
            let set = try KeySet.parse(bytes.span)
            return set.keys.isEmpty ? "no usable key" : nil
        } catch {
            return "\(error)"
        }
    }
}
