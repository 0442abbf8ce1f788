import Access
import Bytes
import HTTPMessage
import OAuth

extension WorkerRef {
    /// Injects the identity fields of the exchange's token, built once per token and mapping (decision 0006).
    func putIdentity(_ exchange: ExchangeRef, into writer: inout HeadWriter) throws(Refused) {
        guard let token = exchange.pointee.token, let route = exchange.pointee.route, route.pointee.identity >= 0 else {
            return
        }
        let block =
            TokenRecord.identity(of: token, mapping: route.pointee.identity)
            ?? buildIdentity(token, mapping: route.pointee.identity)
        // What an upstream could not take as a header must not be cut silently: somebody would become somebody else.
        guard block.pointee.count <= 32 << 10 else {
            throw refuse(.identityTooLarge, "at most 32768 bytes of identity fields", "\(block.pointee.count)")
        }
        writer.put(block.pointee.lines, block.pointee.count)
    }

    func buildIdentity(
        _ token: UnsafeMutablePointer<TokenRecord>, mapping: Int
    ) -> UnsafeMutablePointer<IdentityBlock> {
        var lines: [UInt8] = []
        guard let claims = token.pointee.claims else { preconditionFailure("verified claims are JSON") }
        for field in pointee.policy.tables.identityMappings[mapping] {
            guard let value = Claims.value(at: field.claim, in: claims) else { continue }
            let encoding: Claims.Encoding = field.encoding == .percent ? .percent : .base64url
            guard let bytes = Claims.identityBytes(value, separator: field.separator, encoding: encoding) else {
                continue
            }
            lines.append(contentsOf: field.name.utf8)
            lines.append(contentsOf: [0x3A, 0x20])
            lines.append(contentsOf: bytes)
            lines.append(contentsOf: [0x0D, 0x0A])
        }
        let block = IdentityBlock.make(mapping, lines, next: token.pointee.identity)
        token.pointee.identity = block
        charge(token, IdentityBlock.cost(lines.count))
        return block
    }
}
