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
        if route.pointee.responseIdentity >= 0 {
            _ = try responseIdentity(of: token, mapping: route.pointee.responseIdentity, &identities)
        }
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

    /// The fields of a token's claims for its own client (ECO-70), built once as those for upstreams are.
    ///
    /// Asked for before a request goes on, so that one whose claims are too large is refused, and not its answer.
    func responseIdentity(
        of token: TokenRecord, mapping: Int, _ identities: inout Identities
    ) throws(Refused) -> AttachedBlock {
        let block: AttachedBlock
        if let known = token.attached(.identityFields, rule: mapping) {
            block = known
        } else {
            block = AttachedBlock(rule: mapping, identityLines(token, mapping: mapping, accessToken: []))
            identities.charge(token, token.attach(block, as: .identityFields))
        }
        guard block.bytes.count <= 16 << 10 else {
            throw Refused(
                .identityTooLarge, expected: "at most 16384 bytes of claims in response_fields",
                found: "\(block.bytes.count)")
        }
        return block
    }

    /// Whether the answer to an exchange says something of its own client's claims.
    func answersWithClaims(_ exchange: ExchangeRef) -> Bool {
        guard let route = exchange.pointee.findings.route, exchange.pointee.findings.token != nil else { return false }
        return route.pointee.responseIdentity >= 0
    }

    /// Writes the fields of a client's claims into its answer: none where nobody is known, and none of anybody else's, for what
    /// upstreams send under these names goes no further on any route.
    func putResponseIdentity(_ exchange: ExchangeRef, into writer: inout HeadWriter) {
        guard answersWithClaims(exchange), let route = exchange.pointee.findings.route,
            let token = exchange.pointee.findings.token,
            let block = try? responseIdentity(
                of: token, mapping: route.pointee.responseIdentity, &pointee.identities)
        else { return }
        writer.put(block.bytes)
    }

    /// The lines of a mapping; `accessToken` stands where that is to, and nothing does where it is empty.
    func identityLines(_ token: TokenRecord, mapping: Int, accessToken: [UInt8]) -> [UInt8] {
        var lines: [UInt8] = []
        // Most have no more: no piece of memory after another while they grow.
        lines.reserveCapacity(256)
        guard let claims = pointee.waiting.claimsAtHand?.of(token) ?? token.claims else {
            preconditionFailure("verified claims are JSON")
        }
        for field in pointee.policy.tables.identityMappings[mapping] {
            guard let bytes = field.isAccessToken ? accessToken : Self.value(of: field, in: claims), !bytes.isEmpty
            else { continue }
            lines.append(copying: field.name.utf8Span.span)
            lines.append(0x3A)
            lines.append(0x20)
            lines.append(copying: bytes.span)
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

/// Claims that were just read, with the record that was made of them.
///
/// For as long as whoever made it holds a use of the record, so that it is no other one's.
struct ClaimsAtHand {
    let record: TokenRecord
    let claims: JSONValue

    /// Those of a record; nil where they are another one's.
    func of(_ token: TokenRecord) -> JSONValue? { record == token ? claims : nil }
}
