import Access
import Bytes
import Crypto
import HTTPMessage
import JOSE
import JSON
import Telemetry

extension WorkerRef {
    /// What the head in `pointee.scratch.head` says, and what the stages said of it, for an explanation; decides nothing, and is
    /// not on the hot path.
    func evidence(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, _ judgement: Judgement)
        -> RequestEvidence
    {
        let head = pointee.scratch.head
        let all = UnsafeBufferPointer(start: bytes, count: head.pointee.length)
        func text(_ range: ByteRange, limit: Int = 2048) -> String {
            String(decoding: all[Int(range.start)..<range.end].prefix(limit), as: UTF8.self)
        }
        var evidence = RequestEvidence()
        let client = exchange.pointee.client
        evidence.reached = exchange.pointee.findings.reached
        evidence.listener = Int(client.pointee.listener)
        evidence.peer = client.pointee.peer.text
        evidence.certificateThumbprint = client.carrier.pointee.certificate?.pointee.base64URL
        evidence.isHTTP2 = client.pointee.part.isStream
        evidence.isCall = exchange.pointee.reader.call != nil
        evidence.method = text(head.pointee.method, limit: 32)
        evidence.path = text(head.pointee.path)
        evidence.target = evidence.path.isEmpty ? text(head.pointee.target) : evidence.path
        if head.pointee.hasQuery {
            var shown: [UInt8] = []
            let query = UnsafeBufferPointer(rebasing: all[Int(head.pointee.query.start)..<head.pointee.query.end])
            let path = UnsafeBufferPointer(rebasing: all[Int(head.pointee.path.start)..<head.pointee.path.end])
            QueryRedaction.append(query.span, of: path.span, limit: 1024, to: &shown)
            evidence.target = evidence.path + "?" + String(decoding: shown, as: UTF8.self)
            evidence.hasTokenInQuery = headView(bytes).queryHasToken
        }
        evidence.authority = text(head.pointee.authority, limit: 256)
        evidence.fieldCount = head.pointee.fields.count
        evidence.headBytes = head.pointee.length
        evidence.offersWebSocket = head.pointee.offersWebSocket
        switch head.pointee.framing {
        case .length(let size) where size > 0: evidence.body = .bytes(size)
        case .chunked, .untilClose: evidence.body = .chunked
        default: break
        }
        evidence.route = exchange.pointee.findings.route.map { $0.pointee.index }
        var asksForMethod = false
        for index in 0..<head.pointee.fields.count {
            let slot = head.pointee.fields[index]
            switch slot.id {
            case .origin: evidence.origins.append(text(slot.value, limit: 256))
            case .dpop where evidence.proofs.count < 8:
                let proof = UnsafeBufferPointer(rebasing: all[Int(slot.value.start)..<slot.value.end])
                evidence.proofs.append(TokenEvidence(proof.span))
            case .clientCert: evidence.hasClientCertField = true
            case .accessControlRequestMethod: asksForMethod = true
            default: break
            }
        }
        evidence.asksForMethod = asksForMethod && head.pointee.methodID == .options && !evidence.origins.isEmpty
        evidence.spending = exchange.pointee.findings.spending
        evidence.storedProof = exchange.pointee.findings.proved.map {
            StoredProof(name: Base64URL.encode(Array($0.key.bytes.prefix(16)).span), until: $0.until)
        }
        readAuthorization(all, into: &evidence)
        readIntrospection(exchange, bytes, into: &evidence)
        var pointer: LoginPointer?
        if case .refuse(let refused) = judgement { pointer = refused.login }
        readSession(exchange, bytes, pointer, into: &evidence)
        return evidence
    }

    /// Of a token that only its issuer can read, what the issuer said.
    private func readIntrospection(
        _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, into evidence: inout RequestEvidence
    ) {
        guard let route = exchange.pointee.findings.route, evidence.token != nil, !route.pointee.takesSessionsAlone
        else {
            return
        }
        let token = accessToken(bytes)
        let isAsked = pointee.policy.access.pointee.isIssuerAsked(
            route.pointee.introspector, token.span, SHA256.hash(token.span), &pointee.identities)
        guard isAsked else { return }
        evidence.isIntrospected = true
        evidence.issuer = route.pointee.introspector.issuer
        evidence.token?.claims = exchange.pointee.findings.token?.claims
    }

    private func readAuthorization(_ all: UnsafeBufferPointer<UInt8>, into evidence: inout RequestEvidence) {
        let head = pointee.scratch.head
        guard head.pointee.authorizationCount > 0 else { return }
        guard head.pointee.authorizationCount == 1 else {
            evidence.authorization = .lines(head.pointee.authorizationCount)
            return
        }
        let range = head.pointee.fields[head.pointee.authorizationIndex].value
        let value = UnsafeBufferPointer(rebasing: all[Int(range.start)..<range.end])
        let form = AuthorizationField.parse(value.span)
        switch form {
        case .bearer(let token), .dpop(let token):
            if case .bearer = form { evidence.authorization = .bearer } else { evidence.authorization = .dpop }
            let token = TokenEvidence(UnsafeBufferPointer(rebasing: value[token.range]).span)
            evidence.token = token
            readIssuer(of: token, into: &evidence)
        case .otherScheme:
            evidence.authorization = scheme(of: value).map { .other(scheme: $0) } ?? .tokenWithoutScheme
        case .malformed:
            let isList = value.contains(UInt8(ascii: ","))
            evidence.authorization = isList ? .list : .malformed(scheme: scheme(of: value))
        }
    }

    /// The word before the first space where it can be a scheme's; a longer one may be the token itself.
    private func scheme(of value: UnsafeBufferPointer<UInt8>) -> String? {
        let word = value.prefix { ASCII.isToken($0) }
        guard word.count <= 20, !word.contains(UInt8(ascii: ".")), !word.isEmpty else { return nil }
        return String(decoding: word, as: UTF8.self)
    }

    private func readIssuer(of token: TokenEvidence, into evidence: inout RequestEvidence) {
        guard let name = token.text("iss") else { return }
        if let index = pointee.identities.place(ofIssuer: name) {
            evidence.issuer = index
            evidence.keys = pointee.identities.issuers[index].keySet?.keys.map { key in
                KeyEvidence(
                    keyID: key.keyID, algorithms: SignatureAlgorithm.allCases.filter(key.fits).map(\.name))
            }
        }
    }
}
