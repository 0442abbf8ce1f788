import Access
import Bytes
import HTTPMessage
import OAuth

extension WorkerRef {
    /// Injects the identity fields of a token, built once per token and mapping (decision 0006).
    func putIdentity(
        of token: TokenRecord, _ route: FixedValue<Route>, _ identities: inout Identities, into writer: inout HeadWriter
    ) throws(Refused) {
        guard route.pointee.identity >= 0 else { return }
        let block =
            token.attached(.identityFields, rule: route.pointee.identity)
            ?? buildIdentity(token, mapping: route.pointee.identity, &identities)
        // What an upstream could not take as a header must not be cut silently: somebody would become somebody else.
        guard block.bytes.count <= 32 << 10 else {
            throw Refused(
                .identityTooLarge, expected: "at most 32768 bytes of identity fields", found: "\(block.bytes.count)")
        }
        writer.put(block.bytes)
    }

    func buildIdentity(_ token: TokenRecord, mapping: Int, _ identities: inout Identities) -> AttachedBlock {
        var lines: [UInt8] = []
        // Most have no more: no piece of memory after another while they grow.
        lines.reserveCapacity(256)
        guard let claims = token.claims else { preconditionFailure("verified claims are JSON") }
        for field in pointee.policy.tables.identityMappings[mapping] {
            guard let value = Claims.value(at: field.claim, in: claims) else { continue }
            let encoding: Claims.Encoding =
                switch field.encoding {
                case .percent: .percent
                case .base64url: .base64url
                case .base64: .base64
                }
            guard let bytes = Claims.identityBytes(value, separator: field.separator, encoding: encoding) else {
                continue
            }
            lines.append(contentsOf: field.name.utf8)
            lines.append(0x3A)
            lines.append(0x20)
            lines.append(contentsOf: bytes)
            lines.append(0x0D)
            lines.append(0x0A)
        }
        let block = AttachedBlock(rule: mapping, lines)
        identities.charge(token, token.attach(block, as: .identityFields))
        return block
    }
}
