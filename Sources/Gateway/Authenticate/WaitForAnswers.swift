import Access
import Crypto
import Issuers
import OAuth
import Sessions
import Telemetry
import Transport

/// Requests that wait for an authorization server, for its keys, its word on a token, or a token for the upstream; and
/// those that wait for the store.
///
/// The head stays in the client's input, nothing is read meanwhile, and the stages are run once more from the first:
/// what was true of the request a moment ago is not taken for granted. A signature that was verified is not verified again:
/// what may have changed of its token and its proof, time and keys, is looked at anew.
extension WorkerRef {
    /// Puts an exchange aside until the answer comes or the time to wait is over.
    func park(_ exchange: ExchangeRef, _ wait: Wait, _ bytes: UnsafeMutablePointer<UInt8>) {
        let client = exchange.pointee.client
        exchange.pointee.phase = .parked
        exchange.pointee.wait = wait
        if wait != .proof { enlist(exchange) }
        pointee.waiting.count += 1
        pointee.journal.metrics.set(.parkedRequests, to: pointee.waiting.count)
        countWaiting(exchange)
        if traces { beginTraceWait(exchange, wait) }
        client.stopReading()
        let trace = outboundParent(exchange)
        switch wait {
        case .nothing: break
        case .keys(let issuer), .metadata(let issuer):
            setTimeout(client.timeout, pointee.policy.timeouts.keyWait)
            pointee.questions.requestKeys(issuer, askingClient(exchange), trace)
        case .introspection(let issuer, let digest):
            setTimeout(client.timeout, pointee.identities.issuers[issuer].lookupTimeout)
            pointee.journal.metrics.count(.introspections)
            let isVouchedFor = pointee.identities.vouchedTokens.contains(digest, now: clock.wallSeconds())
            pointee.questions.ask(
                .introspection(issuer: issuer, isVouchedFor: isVouchedFor), Array(accessToken(bytes)), digest,
                askingClient(exchange), trace)
        case .exchange(let rule, let digest):
            setTimeout(client.timeout, Questions.exchangeTimeout)
            let expiry = exchange.pointee.findings.token?.usableUntil ?? 0
            let token = exchange.pointee.findings.token?.session?.session.accessToken?.reveal()
            pointee.questions.ask(
                .exchange(rule: rule, tokenExpiresAt: expiry), token ?? Array(accessToken(bytes)), digest,
                askingClient(exchange), trace)
        case .session(let login, let digest):
            setTimeout(client.timeout, Questions.refreshTimeout)
            let value = sessionValue(exchange, bytes) ?? []
            if loadsSession(login: login, value, digest, trace) {
                exchange.pointee.storeAskedAt = clock.microseconds()
            } else {
                pointee.questions.askSession(login, value, digest, trace)
            }
        case .proof: setTimeout(client.timeout, Questions.proofTimeout)
        case .loginPlace, .login: break
        }
    }

    /// Puts an exchange at the end of the waiting list.
    private func enlist(_ exchange: ExchangeRef) {
        exchange.pointee.previousParked = pointee.waiting.last
        exchange.pointee.nextParked = nil
        pointee.waiting.total += 1
        exchange.pointee.parking = pointee.waiting.total
        if let last = pointee.waiting.last {
            last.pointee.nextParked = exchange
        } else {
            pointee.waiting.first = exchange
        }
        pointee.waiting.last = exchange
    }

    /// The value of the session cookie that a request brings; `bytes` is its head.
    func sessionValue(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) -> [UInt8]? {
        guard let login = exchange.pointee.findings.route?.pointee.login else { return nil }
        return headView(bytes).sessionValue(named: login.pointee.cookieName.span)
    }

    /// Has an exchange wait no longer, for whatever reason.
    func unpark(_ exchange: ExchangeRef) {
        if exchange.pointee.proofTicket == 0 { delist(exchange) }
        exchange.pointee.wait = .nothing
        if let waits = exchange.pointee.trace.waits { waits.pointee.end(at: clock.microseconds()) }
        uncountWaiting(exchange)
        endQuestion(exchange)
        countStoreWait(exchange)
        pointee.waiting.count -= 1
        pointee.journal.metrics.set(.parkedRequests, to: pointee.waiting.count)
    }

    /// Takes an exchange out of the waiting list.
    private func delist(_ exchange: ExchangeRef) {
        if let previous = exchange.pointee.previousParked {
            previous.pointee.nextParked = exchange.pointee.nextParked
        } else {
            pointee.waiting.first = exchange.pointee.nextParked
        }
        if let next = exchange.pointee.nextParked {
            next.pointee.previousParked = exchange.pointee.previousParked
        } else {
            pointee.waiting.last = exchange.pointee.previousParked
        }
        exchange.pointee.previousParked = nil
        exchange.pointee.nextParked = nil
    }

    /// New keys, or none any more; called through the loop's inbox.
    func keysArrived(_ keys: IssuerKeys?, issuer: Int) { pointee.identities.issuers[issuer].take(keys) }

    /// The directory has answered: everyone who waited for this issuer is looked at once more.
    func refreshEnded(issuer: Int) {
        end(.keys(issuer: issuer)) { exchange in
            exchange.pointee.findings.hasWaited = true
            return .nothing
        }
    }

    /// There is no reading for a client, whose requests are looked at once more; whoever else waits for one goes on waiting.
    ///
    /// Otherwise a stranger who asks without end would send those on, before the keys have come, that wait for theirs.
    func refreshRefused(issuer: Int, of client: AskingClient) {
        let last = pointee.waiting.total
        while let exchange = firstWaiting(
            upTo: last, where: { $0.pointee.wait == .keys(issuer: issuer) && askingClient($0) == client })
        {
            unpark(exchange)
            exchange.pointee.findings.hasWaited = true
            resume(exchange)
        }
    }

    /// What the issuer says about itself was read, or could not be.
    func metadataRead(issuer: Int) { end(.metadata(issuer: issuer)) { _ in .nothing } }

    /// Takes everyone who waits for one answer out of the list, gives them what it was, and looks at them once more,
    /// or lets them wait for what `give` says; `count` of them at most.
    ///
    /// Who begins to wait meanwhile, as a request behind one that went on, asks for an answer of its own.
    func end(_ wait: Wait, of count: Int = .max, _ give: (ExchangeRef) -> Wait) {
        let last = pointee.waiting.total
        var left = count
        // Where all are found that there are, nobody looks through those who wait for something else.
        while left > 0, let exchange = firstWaiting(for: wait, upTo: last) {
            left -= 1
            unpark(exchange)
            let next = give(exchange)
            if next == .nothing {
                resume(exchange)
            } else {
                park(exchange, next, exchange.pointee.client.pointee.input.bytes)
            }
        }
    }

    private func firstWaiting(for wait: Wait, upTo last: UInt64) -> ExchangeRef? {
        if case .session(let login, let digest) = wait {
            // Of these there may be thousands, and each that is answered looks through all.
            return firstWaiting(upTo: last) { one in
                guard case .session(let otherLogin, let other) = one.pointee.wait else { return false }
                return other.prefix == digest.prefix && other == digest && otherLogin == login
            }
        }
        return firstWaiting(upTo: last) { one in one.pointee.wait == wait }
    }

    @inline(__always)
    private func firstWaiting(upTo last: UInt64, where isWaiting: (ExchangeRef) -> Bool) -> ExchangeRef? {
        var exchange = pointee.waiting.first
        while let one = exchange, one.pointee.parking <= last {
            if isWaiting(one) { return one }
            exchange = one.pointee.nextParked
        }
        return nil
    }

    /// What a request that found out too little may wait for before it asks once more; nothing after the second time.
    func secondWait(_ exchange: ExchangeRef, _ reason: LookupRefusal, issuer: Int) -> Wait {
        guard !exchange.pointee.hasAskedAgain else { return .nothing }
        switch reason {
        case .metadataMissing:
            exchange.pointee.hasAskedAgain = true
            return .metadata(issuer: issuer)
        case .introspection(let refusal):
            guard mayBeMendedByKeys(refusal, issuer: issuer, askingClient(exchange)) else { return .nothing }
            exchange.pointee.hasAskedAgain = true
            return .keys(issuer: issuer)
        case .crowded, .tooManyOfClient, .waitedTooLong, .tooManyBad, .stopped, .tokenNotSendable, .endpointMissing,
            .methodNotOffered, .notAuthenticated, .request, .answerTooLarge, .answerTooComplex, .exchange:
            return .nothing
        }
    }

    /// Whether a signed answer that was refused may be good by the keys that its issuer has now.
    private func mayBeMendedByKeys(_ refusal: IntrospectionRefusal, issuer: Int, _ client: AskingClient) -> Bool {
        switch refusal {
        case .unknownKey, .keysMissing: return true
        // The issuer may have replaced a key under its name; whoever else signs answers has nobody wait for long.
        case .signatureInvalid:
            let now = Int64(clamping: clock.microseconds() / 1000)
            return pointee.identities.issuers[issuer].mayReadKeysAgain(for: client, at: now)
        case .credentialsRefused, .status, .tooLarge, .contentType, .notJSON, .notAnObject, .malformed,
            .typeNotAccepted, .algorithmNotAllowed, .tooManyKeys, .missingClaim, .claimMalformed, .issuerMismatch,
            .audienceMismatch, .issuedInFuture, .issuedTooEarly:
            return false
        }
    }

    /// The time to wait is over: 503 where nobody has answered; with keys the key is unknown (never a false 401).
    func waitTimedOut(_ exchange: ExchangeRef) {
        switch exchange.pointee.wait {
        case .nothing, .keys: exchange.pointee.findings.hasWaited = true
        case .metadata: break
        case .introspection:
            exchange.pointee.findings.lookup = .refused(
                Refused(.introspectionUnavailable, expected: "an answer in time", found: "none"))
        case .exchange:
            exchange.pointee.findings.exchanged = .refused(
                Refused(.exchangeUnavailable, expected: "an answer in time", found: "none"))
        case .session:
            exchange.pointee.findings.lookup = .refused(
                Refused(.sessionRefreshUnavailable, expected: "an answer in time", found: "none"))
        // Neither the store nor the link to it has said a word: nobody vouches for the proof.
        case .proof: return judgeAfterStore(exchange)
        case .loginPlace: return placeTimedOut(exchange)
        case .login:
            unpark(exchange)
            exchange.pointee.phase = .awaitingResponse
            return answer(exchange, refused: Refused(.loginTimedOut, expected: "an answer in time", found: "none"))
        }
        unpark(exchange)
        resume(exchange)
    }

    /// Answers a request that waits for what will not come in time; the answer to its question is nobody's then.
    func endWait(_ exchange: ExchangeRef, _ refused: Refused) {
        unpark(exchange)
        exchange.pointee.phase = .awaitingResponse
        clearTimeout(exchange.pointee.client.timeout)
        dropInput(exchange.pointee.client)
        answer(exchange, refused: refused)
    }

    /// Runs the stages of a request that waited once more, unless its client has broken off meanwhile.
    ///
    /// Nothing was read from the client while it waited. What nobody waits for any more need not be done (SH-56).
    func resume(_ exchange: ExchangeRef) {
        exchange.pointee.phase = .awaitingResponse
        let client = exchange.pointee.client
        clearTimeout(client.timeout)
        guard !client.pointee.stream.isBroken else { return closeClient(client) }
        runKeptRequest(client, exchange)
    }
}

extension Wait {
    /// What a request is refused with for which this never comes; nil for those of logins, which are answered all the same.
    var causeOfOutage: Refusal? {
        switch self {
        case .nothing, .keys: .issuerKeysUnavailable
        case .metadata, .introspection: .introspectionUnavailable
        case .exchange: .exchangeUnavailable
        case .session: .sessionRefreshUnavailable
        case .proof: .storeUnavailable
        case .loginPlace, .login: nil
        }
    }

    /// What it is, for the operator.
    var words: Refused.Words {
        switch self {
        case .nothing, .keys: "a wait for an issuer's keys"
        case .metadata: "a wait for an issuer's metadata"
        case .introspection: "a wait for introspection"
        case .exchange: "a wait for a token exchange"
        case .session: "a wait for a session"
        case .proof: "a wait for the store"
        case .loginPlace, .login: "a wait for a login"
        }
    }
}
