import Access
import Bytes
import HTTPMessage
import JSON
import OAuth

extension WorkerRef {
    /// Injects the identity fields of a token, built once per token and mapping (decision 0006).
    func putIdentity(
        of token: TokenRecord, _ route: FixedValue<Route>, _ bytes: UnsafeMutablePointer<UInt8>,
        _ identities: inout Identities, into writer: inout HeadWriter
    ) throws(Refused) {
        guard route.pointee.identity >= 0 else { return }
        let block: AttachedBlock
        if let known = token.attached(.identityFields, rule: route.pointee.identity) {
            block = known
        } else {
            block = try buildIdentity(token, mapping: route.pointee.identity, bytes, &identities)
        }
        // What an upstream could not take as a header must not be cut silently: somebody would become somebody else.
        guard block.bytes.count <= 32 << 10 else {
            throw Refused(
                .identityTooLarge, expected: "at most 32768 bytes of identity fields", found: "\(block.bytes.count)")
        }
        writer.put(block.bytes)
    }

    func buildIdentity(
        _ token: TokenRecord, mapping: Int, _ bytes: UnsafeMutablePointer<UInt8>, _ identities: inout Identities
    ) throws(Refused) -> AttachedBlock {
        var accessToken: [UInt8] = []
        if pointee.policy.tables.identityMappings[mapping].contains(where: \.isAccessToken) {
            accessToken = try shownAccessToken(token, bytes)
        }
        let block = AttachedBlock(
            rule: mapping, identityLines(token, mapping: mapping, accessToken: accessToken))
        identities.charge(token, token.attach(block, as: .identityFields))
        return block
    }

    /// The lines of a mapping; `accessToken` stands where that is to, and nothing does where it is empty.
    func identityLines(_ token: TokenRecord, mapping: Int, accessToken: [UInt8]) -> [UInt8] {
        var lines: [UInt8] = []
        // Most have no more: no piece of memory after another while they grow.
        lines.reserveCapacity(256)
        guard let claims = token.claims else { preconditionFailure("verified claims are JSON") }
        for field in pointee.policy.tables.identityMappings[mapping] {
            guard let bytes = field.isAccessToken ? accessToken : Self.value(of: field, in: claims), !bytes.isEmpty
            else { continue }
            lines.append(contentsOf: field.name.utf8)
            lines.append(0x3A)
            lines.append(0x20)
            lines.append(contentsOf: bytes)
            lines.append(0x0D)
            lines.append(0x0A)
        }
        return lines
    }

    private static func value(of field: IdentityFieldSettings, in claims: JSONValue) -> [UInt8]? {
        guard let value = Claims.value(at: field.claim, in: claims) else { return nil }
        let encoding: Claims.Encoding =
            switch field.encoding {
            case .percent: .percent
            case .base64url: .base64url
            case .base64: .base64
            }
        return Claims.identityBytes(value, separator: field.separator, encoding: encoding)
    }
}
