package import Crypto
import Issuers
import JOSE
package import OAuth
import Telemetry

/// A token's record, or what must be asked before there is one.
enum TokenFinding {
    case known(TokenRecord)
    case wait(Wait)
}

extension AccessPolicy {
    /// The record of a token: one at hand, or one made by verifying it now.
    borrowing func findRecord(
        _ route: FixedValue<Route>, _ token: Span<UInt8>, _ digest: SHA256Digest, _ identities: inout Identities,
        _ findings: inout Findings, _ arrival: borrowing Arrival
    ) throws(Refused) -> TokenFinding {
        let now = arrival.now
        if isIssuerAsked(route.pointee.introspector, token, digest, &identities) {
            return try introspect(route.pointee.introspector.issuer, token, &identities, &findings, now: now)
        }
        if let known = identities.freshRecord(digest, now: now) {
            identities.metrics.count(.tokenCacheHits)
            return .known(known)
        }
        if let own = identities.verifiedBefore(&findings, digest, now: now) { return .known(own) }
        return try verify(token, digest, &identities, &findings, arrival)
    }

    /// Whether a route's issuer is asked about a token, in place of verifying it here.
    package borrowing func isIssuerAsked(
        _ introspector: Introspector, _ token: Span<UInt8>, _ digest: SHA256Digest, _ identities: inout Identities
    ) -> Bool {
        introspector.isAsked(about: token) && !isOfAnother(token, digest, introspector, &identities)
    }

    /// Whether a token is a JWT that claims to be another issuer's than the one that is asked about all of its own.
    ///
    /// What a token claims decides only by whose keys it is verified, and whoever is not its issuer could not sign it.
    private borrowing func isOfAnother(
        _ token: Span<UInt8>, _ digest: SHA256Digest, _ introspector: Introspector, _ identities: inout Identities
    ) -> Bool {
        guard introspector.isAskedAboutAll, introspector.hasOthers else { return false }
        if let known = identities.tokens.find(digest) { return known.issuer != introspector.issuer }
        guard let claimed = try? UncheckedAccessToken(token, maximumBytes: tokenLimit),
            let issuer = identities.place(ofIssuer: claimed.issuer)
        else { return false }
        return issuer != introspector.issuer
    }

    private borrowing func verify(
        _ token: Span<UInt8>, _ digest: SHA256Digest, _ identities: inout Identities, _ findings: inout Findings,
        _ arrival: borrowing Arrival
    ) throws(Refused) -> TokenFinding {
        identities.metrics.count(.tokenCacheMisses)
        let unchecked: UncheckedAccessToken
        do throws(AccessTokenRefusal) {
            unchecked = try UncheckedAccessToken(token, maximumBytes: tokenLimit)
        } catch {
            throw Refused(error, found: "\(error.found(in: nil)), in a token of \(token.count) bytes", nil)
        }
        guard let issuer = identities.place(ofIssuer: unchecked.issuer) else {
            throw Refused(
                .tokenIssuerUnknown, expected: "a configured issuer",
                found: .text(String((unchecked.issuer ?? "none").prefix(64))))
        }
        guard let keys = identities.issuers[issuer].keys else {
            guard findings.hasWaited else { return .wait(.keys(issuer: issuer)) }
            throw Refused(
                .issuerKeysUnavailable, expected: "keys of \(identities.issuers[issuer].identifier)",
                found: "none at hand")
        }
        try checkMayVerify(arrival)
        do throws(AccessTokenRefusal) {
            if let algorithm = SignatureAlgorithm(name: unchecked.algorithmName) {
                identities.metrics.countVerification(algorithm: Int(algorithm.rawValue))
            }
            let verified = try unchecked.verify(with: keys, rules: identities.issuers[issuer].rules, now: arrival.now)
            // The record's first use is the cache's own; `remove` ends it.
            let record = makeRecord(verified, digest, issuer: issuer, until: .max, identities.issuers)
            identities.keep(token: record)
            return .known(record)
        } catch {
            if case .unknownKey = error {} else { findings.hasFailedVerification = true }
            if !findings.hasWaited, mayHaveKey(issuer, error, &identities, arrival) {
                return .wait(.keys(issuer: issuer))
            }
            throw Refused(error, found: error.found(in: unchecked), identities.issuers[issuer].rules)
        }
    }

    /// Whether the issuer's keys may have changed, so that what they do not verify is good; a signature may ask so once in a while.
    private func mayHaveKey(
        _ issuer: Int, _ refusal: AccessTokenRefusal, _ identities: inout Identities, _ arrival: borrowing Arrival
    ) -> Bool {
        switch refusal {
        case .unknownKey: true
        case .signatureInvalid:
            identities.issuers[issuer].mayReadKeysAgain(
                for: arrival.connection.network.map { AskingClient($0) } ?? .many,
                at: Int64(clamping: arrival.connection.nanoseconds / 1_000_000))
        default: false
        }
    }

    /// Refuses to verify anything for a client of whose tokens and proofs too many were verified in vain (ECO-81).
    ///
    /// A signature costs more than all else in a request: whoever makes tokens up, or sends an old one without end, would
    /// have a worker verify for them alone.
    borrowing func checkMayVerify(_ arrival: borrowing Arrival) throws(Refused) {
        guard arrival.connection.mayVerify else {
            throw Refused(
                .failedVerificationsTooMany,
                expected: "fewer bad tokens and proofs of one client (limits.failed_verification_rate_per_client)",
                found: "more")
        }
    }

    /// The record of a token that its issuer vouches for until then, in Unix seconds, with a use that is the caller's
    /// (INT-06).
    package borrowing func remember(
        introspected token: VerifiedAccessToken, _ digest: SHA256Digest, issuer: Int, until: Int64,
        _ identities: inout Identities, now: Int64
    ) -> TokenRecord {
        let record = makeRecord(token, digest, issuer: issuer, until: until, identities.issuers)
        if until > now {
            record.retain()
            identities.keep(token: record)
        }
        return record
    }

    private borrowing func makeRecord(
        _ token: VerifiedAccessToken, _ digest: SHA256Digest, issuer: Int, until: Int64,
        _ issuers: FixedList<IssuerView>
    ) -> TokenRecord {
        TokenRecord(
            digest, token, issuer: issuer, generation: issuers[issuer].generation,
            leeway: Int64(issuers[issuer].rules.leewaySeconds), usableUntil: until,
            answers: catalogue.answers(for: token, issuer: issuer),
            limitKeys: LimitKeys.words(catalogue.limitKeys, of: token))
    }
}

extension Identities {
    /// The cached record of a token, unless its time or its keys have passed.
    mutating func freshRecord(_ digest: SHA256Digest, now: Int64) -> TokenRecord? {
        guard let record = tokens.find(digest) else { return nil }
        guard isUsable(record, now: now) else {
            // Verified anew by the caller, so that the refusal says which of the two it was.
            tokens.remove(record)
            return nil
        }
        record.markUsed()
        return record
    }

    /// The record of a request that waited after its token was verified, and whose record gave way to others meanwhile.
    ///
    /// What may have changed is looked at anew: the issuer's keys, and the time. The record is found by the caller's next
    /// requests again.
    fileprivate mutating func verifiedBefore(
        _ findings: inout Findings, _ digest: SHA256Digest, now: Int64
    ) -> TokenRecord? {
        guard let own = findings.token, own.session == nil, own.digest == digest, isUsable(own, now: now) else {
            return nil
        }
        own.retain()
        keep(token: own)
        return own
    }

    /// Whether a record's time and the keys that verified it are those of now.
    private func isUsable(_ record: TokenRecord, now: Int64) -> Bool {
        record.generation == issuers[record.issuer].generation && now < record.usableUntil && now >= record.usableFrom
    }

    fileprivate mutating func keep(token record: TokenRecord) {
        let evictions = tokens.evictions
        tokens.insert(record)
        if tokens.evictions > evictions {
            metrics.count(.tokenCacheEvictions, by: Int(tokens.evictions - evictions))
        }
    }
}

extension Refused {
    /// The refusal of a token for what it says, with the words of the rules that it was held against.
    fileprivate init(_ cause: AccessTokenRefusal, found: String, _ rules: AccessTokenRules?) {
        self.init(cause.refusal, expected: .text(cause.expected(by: rules)), found: .text(found), check: cause.check)
    }
}
