// SPDX-License-Identifier: Apache-2.0

/// A digital signature algorithm of RFC 7518 §3.1 or RFC 8037 §3.1; MACs and `none` are not among them.
public enum SignatureAlgorithm: UInt8, Sendable, CaseIterable, Hashable {
    case rs256, rs384, rs512
    case ps256, ps384, ps512
    case es256, es384, es512
    /// Ed25519, spelt `EdDSA` or `Ed25519` on the wire (RFC 9864; decision D-18).
    case edDSA
}
