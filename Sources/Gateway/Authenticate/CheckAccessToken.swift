import Access
import Crypto
import HTTPMessage
import JOSE
import OAuth
import Telemetry

/// What is known of who makes a request.
enum Identity {
    /// A token was verified, is right for the route, and is its sender's; with the proof that says so, to be remembered
    /// against replay when everything else is right.
    case known(TokenRecord, proof: UnspentProof?)
    /// The route lets requests without a token through, without identity (RS-09).
    case anonymous
    /// The authorization server must be asked something first.
    case wait(Wait)
}

/// A token's record, or what must be asked before there is one.
enum TokenFinding {
    case known(TokenRecord)
    case wait(Wait)
}

extension WorkerRef {
    /// Turns the credentials of a request into a verified token that is right for its route, or refuses.
    ///
    /// A token seen before costs a digest and a comparison; time, key generation, issuer, audience and the sender's
    /// proof are checked on every use (JOSE-34, DPOP-25).
    func authenticate(
        _ head: HeadView, _ exchange: ExchangeRef, _ route: UnsafePointer<Route>,
        _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) -> Identity {
        // Where tokens are no credentials, an Authorization field is none either (SC-11).
        if route.pointee.takesSessionsAlone, let policy = route.pointee.login {
            return try findSession(exchange, route, policy, bytes)
        }
        let range: ByteRange
        let policy = route.pointee.token
        switch try head.credentials(policy.schemes, rejectsQueryToken: policy.rejectsQueryToken) {
        case .none: return try identifyWithoutToken(exchange, route, bytes)
        case .bearer(let found):
            exchange.pointee.scheme = .bearer
            range = found
        case .dpop(let found):
            exchange.pointee.scheme = .dpop
            range = found
        }
        let token = UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
        let digest = SHA256.hash(token.span)
        let record: TokenRecord
        switch try findRecord(exchange, route, token, digest, bytes) {
        case .known(let found): record = found
        case .wait(let wait): return .wait(wait)
        }
        record.retain()
        if let earlier = exchange.pointee.token {
            carryUpstreamToken(exchange, from: earlier, to: record)
            earlier.release()
        }
        exchange.pointee.token = record
        let answers = AnswerBits(record.answers)
        guard answers.oneHolds(route.pointee.token.issuers.numbers) else {
            throw refuse(
                .tokenIssuerNotAccepted, acceptedIssuers(route),
                pointee.identities.issuers[record.issuer].identifier)
        }
        guard answers.oneHolds(route.pointee.token.audiences.numbers) else {
            throw refuse(
                .tokenAudienceMissing, audiences(route),
                record.shown("aud"))
        }
        return .known(record, proof: try proveSender(head, exchange, route, record, digest, bytes))
    }

    /// Who makes a request that brings no token.
    ///
    /// A route that takes a browser's session beside tokens looks for it here and nowhere else: a request with an
    /// `Authorization` field is judged by that alone, so that a bad token never falls back on a cookie (RS-09).
    private func identifyWithoutToken(
        _ exchange: ExchangeRef, _ route: UnsafePointer<Route>, _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) -> Identity {
        if let policy = route.pointee.login { return try findSession(exchange, route, policy, bytes) }
        if route.pointee.isOptional { return .anonymous }
        throw refuse(.credentialsMissing, "Authorization: \(route.pointee.token.schemes.names)", "none")
    }

    /// The record of a token: one at hand, or one made by verifying it now.
    private func findRecord(
        _ exchange: ExchangeRef, _ route: UnsafePointer<Route>, _ token: UnsafeBufferPointer<UInt8>,
        _ digest: SHA256Digest, _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) -> TokenFinding {
        if isIssuerAsked(route, token, digest) {
            return try introspect(exchange, route.pointee.introspector.issuer, token, bytes)
        }
        if let known = freshRecord(digest) {
            pointee.journal.metrics.count(.tokenCacheHits)
            return .known(known)
        }
        if let own = verifiedBefore(exchange, digest) { return .known(own) }
        return try verify(token, digest, hasWaited: exchange.pointee.hasWaited)
    }

    /// The record of a request that waited after its token was verified, and whose record gave way to others meanwhile.
    ///
    /// What may have changed is looked at anew: the issuer's keys, and the time. The record is found by the caller's next
    /// requests again.
    private func verifiedBefore(_ exchange: ExchangeRef, _ digest: SHA256Digest) -> TokenRecord? {
        guard let own = exchange.pointee.token, own.session == nil, own.digest == digest, isUsable(own) else {
            return nil
        }
        own.retain()
        keep(own)
        return own
    }

    /// Whether a record's time and the keys that verified it are those of now.
    private func isUsable(_ record: TokenRecord) -> Bool {
        let now = clock.wallSeconds()
        return record.generation == pointee.identities.issuers[record.issuer].generation && now < record.usableUntil
            && now >= record.usableFrom
    }

    /// Whether a route's issuer is asked about a token, in place of verifying it here.
    func isIssuerAsked(
        _ route: UnsafePointer<Route>, _ token: UnsafeBufferPointer<UInt8>, _ digest: SHA256Digest
    ) -> Bool {
        let introspector = route.pointee.introspector
        return introspector.isAsked(about: token.span) && !isOfAnother(token, digest, introspector)
    }

    /// Whether a token is a JWT that claims to be another issuer's than the one that is asked about all of its own.
    ///
    /// What a token claims decides only by whose keys it is verified, and whoever is not its issuer could not sign it.
    private func isOfAnother(
        _ token: UnsafeBufferPointer<UInt8>, _ digest: SHA256Digest, _ introspector: Introspector
    ) -> Bool {
        guard introspector.isAskedAboutAll, introspector.hasOthers else { return false }
        if let known = pointee.identities.tokens.find(digest) { return known.issuer != introspector.issuer }
        guard let claimed = try? UncheckedAccessToken(token.span, maximumBytes: pointee.policy.limits.accessToken)
        else {
            return false
        }
        let issuer = index(ofIssuer: claimed.issuer)
        return issuer >= 0 && issuer != introspector.issuer
    }

    /// The cached record of a token, unless its time or its keys have passed.
    func freshRecord(_ digest: SHA256Digest) -> TokenRecord? {
        guard let record = pointee.identities.tokens.find(digest) else { return nil }
        guard isUsable(record) else {
            // Verified anew below, so that the refusal says which of the two it was.
            pointee.identities.tokens.remove(record)
            return nil
        }
        record.markUsed()
        return record
    }

    private func verify(
        _ token: UnsafeBufferPointer<UInt8>, _ digest: SHA256Digest, hasWaited: Bool
    ) throws(Refused) -> TokenFinding {
        pointee.journal.metrics.count(.tokenCacheMisses)
        let unchecked: UncheckedAccessToken
        do throws(AccessTokenRefusal) {
            unchecked = try UncheckedAccessToken(token.span, maximumBytes: pointee.policy.limits.accessToken)
        } catch {
            throw refuse(error, found: "\(error.found(in: nil)), in a token of \(token.count) bytes", nil)
        }
        let issuer = index(ofIssuer: unchecked.issuer)
        guard issuer >= 0 else {
            throw refuse(.tokenIssuerUnknown, "a configured issuer", String((unchecked.issuer ?? "none").prefix(64)))
        }
        guard let keys = pointee.identities.issuers[issuer].keys else {
            guard hasWaited else { return .wait(.keys(issuer: issuer)) }
            throw refuse(
                .issuerKeysUnavailable, "keys of \(pointee.identities.issuers[issuer].identifier)", "none at hand")
        }
        do throws(AccessTokenRefusal) {
            if let algorithm = SignatureAlgorithm(name: unchecked.algorithmName) {
                pointee.journal.metrics.countVerification(algorithm: Int(algorithm.rawValue))
            }
            let verified = try unchecked.verify(
                with: keys, rules: pointee.identities.issuers[issuer].rules, now: clock.wallSeconds())
            return .known(remember(verified, digest, issuer: issuer))
        } catch {
            if case .unknownKey = error, !hasWaited { return .wait(.keys(issuer: issuer)) }
            if case .signatureInvalid = error, !hasWaited,
                pointee.identities.issuers[issuer].mayReadKeysAgain(at: clock.wallSeconds())
            {
                return .wait(.keys(issuer: issuer))
            }
            throw refuse(error, found: error.found(in: unchecked), pointee.identities.issuers[issuer].rules)
        }
    }

    private func refuse(_ cause: AccessTokenRefusal, found: String, _ rules: AccessTokenRules?) -> Refused {
        refuse(cause.refusal, cause.expected(by: rules), found, check: cause.check)
    }

    /// The record of a token that its issuer vouches for until then, with a use that is the caller's (INT-06).
    func remember(
        introspected token: VerifiedAccessToken, _ digest: SHA256Digest, issuer: Int, until: Int64
    ) -> TokenRecord {
        let record = makeRecord(token, digest, issuer: issuer, until: until)
        if until > clock.wallSeconds() {
            record.retain()
            keep(record)
        }
        return record
    }

    private func remember(
        _ token: VerifiedAccessToken, _ digest: SHA256Digest, issuer: Int
    ) -> TokenRecord {
        // The record's first use is the cache's own; `remove` ends it.
        let record = makeRecord(token, digest, issuer: issuer, until: .max)
        keep(record)
        return record
    }

    private func makeRecord(
        _ token: VerifiedAccessToken, _ digest: SHA256Digest, issuer: Int, until: Int64
    ) -> TokenRecord {
        TokenRecord(
            digest, token, issuer: issuer, generation: pointee.identities.issuers[issuer].generation,
            leeway: Int64(pointee.identities.issuers[issuer].rules.leewaySeconds), usableUntil: until,
            answers: pointee.policy.tables.catalogue.answers(for: token, issuer: issuer))
    }

    private func keep(_ record: TokenRecord) {
        let evictions = pointee.identities.tokens.evictions
        pointee.identities.tokens.insert(record)
        if pointee.identities.tokens.evictions > evictions {
            pointee.journal.metrics.count(
                .tokenCacheEvictions, by: Int(pointee.identities.tokens.evictions - evictions))
        }
    }

    /// The configured issuer a token claims to be from, compared byte for byte; -1 for any other (JOSE-21).
    private func index(ofIssuer issuer: String?) -> Int {
        guard let issuer else { return -1 }
        for index in 0..<pointee.identities.issuerCount
        where pointee.identities.issuers[index].identifier.utf8.elementsEqual(issuer.utf8) { return index }
        return -1
    }

    private func acceptedIssuers(_ route: UnsafePointer<Route>) -> String {
        guard let settings = route.pointee.settings.access.token else { return "" }
        return settings.issuers.joined(separator: ", ")
    }

    private func audiences(_ route: UnsafePointer<Route>) -> String {
        guard let settings = route.pointee.settings.access.token else { return "" }
        return settings.audiences.joined(separator: ", ")
    }
}
