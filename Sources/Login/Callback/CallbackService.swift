import Bytes
import Crypto
import HTTPMessage
import Issuers
import JOSE
import OAuth
import Refusals
import Replay
import Sessions
import SharedState

/// Takes browsers back from the server: what may be believed of what they bring, in which order (CF-21).
///
///     state ─▶ transaction of this browser ─▶ used up ─▶ iss, signature ─▶ error │ code ─▶ exchange ─▶ session
///       │                │                        │
///       └ malformed      └ unknown, expired       └ used before: to where it led, or refused
///
/// Nothing that a response says is acted on, or shown, before its transaction is found and its sender is checked; no
/// token request is made before all of it is.
final class CallbackService: Sendable {
    private let starts: StartService
    private let exchange: CodeExchange
    private let memory: LoginMemory

    init(starts: StartService, exchange: CodeExchange, memory: LoginMemory) {
        self.starts = starts
        self.exchange = exchange
        self.memory = memory
    }

    private var outcomes: SharedOutcomes { memory.outcomes }

    /// Answers a request to `callback/<client>`.
    func answer(_ request: LoginRequest, at place: LoginClient) async -> LoginAnswer {
        if let refused = methodRefusal(request, at: place) { return refused }
        let retry = StartRequest(returnTo: place.settings.start.page).path(at: place)
        let response: UncheckedAuthorizationResponse
        do throws(LoginFailure) {
            response = try await read(request, at: place)
        } catch {
            return error.answer(at: place, retry: retry)
        }
        do throws(LoginFailure) {
            let state = Array(response.state.utf8)
            let digest = SHA256.hash(state.span)
            let redirectURI = place.redirectURI(request.publicURL)
            switch place.sealer.open(
                request.cookies.span, state: response.state, redirectURI: redirectURI, now: place.now)
            {
            case .found(let transaction):
                let callback = Callback(
                    place: place, request: request, response: response, transaction: transaction, digest: digest)
                return await outcomes.answer(digest) { await self.answer(callback) }
            case .expired:
                throw Self.expired
            case .none:
                if let location = try await led(state, request, at: place) { return LoginAnswer(.redirect(location)) }
                throw Self.unknown
            }
        } catch {
            // Nothing was decided: the browser keeps what it has.
            let cookies = error.refusal == .storeUnavailable ? [] : stale(response, request, at: place)
            return error.answer(at: place, cookies: cookies, retry: retry)
        }
    }

    // MARK: what arrives

    private func methodRefusal(_ request: LoginRequest, at place: LoginClient) -> LoginAnswer? {
        let isForm = place.responseMode.isForm
        guard request.method != (isForm ? .post : .get) else { return nil }
        let method = isForm ? "POST" : "GET"
        return LoginAnswer(
            .refused(
                .methodNotAllowed,
                detail: RefusalDetail(expected: method, found: "another method", check: "CF-20")),
            fields: [("Allow", method)])
    }

    private func read(
        _ request: LoginRequest, at place: LoginClient
    ) async throws(LoginFailure) -> UncheckedAuthorizationResponse {
        if place.responseMode.isForm {
            let type = Array((request.contentType ?? "").utf8.prefix { $0 != UInt8(ascii: ";") })
            guard ASCII.equalsIgnoringCase(type.span, "application/x-www-form-urlencoded") else {
                throw LoginFailure(
                    .loginResponseMalformed, check: "CF-20", expected: "a form", found: "another content")
            }
        }
        let form = place.responseMode.isForm ? request.body : request.query
        let (isSigned, keys) = (place.responseMode.isSigned, place.settings.keys.decryption)
        let isEncrypted = isSigned && !keys.isEmpty && UncheckedAuthorizationResponse.isEncrypted(form.span)
        if isEncrypted { try await checkBegun(request, at: place) }
        let isSlow = isEncrypted && keys.contains { $0.isSlow }
        let read: Result<UncheckedAuthorizationResponse, AuthorizationResponseRefusal>
        do throws(SlowWork.Refusal) {
            read = try await place.signing(for: .code, of: request.network, isSlow: isSlow) {
                Result { () throws(AuthorizationResponseRefusal) in
                    try UncheckedAuthorizationResponse(form.span, isSigned: isSigned, decryption: keys)
                }
            }
        } catch {
            guard error != .tooManyOfClient else { throw .tooManyOfClient }
            throw LoginFailure(
                .loginsTooMany, check: "OPS-05", expected: "fewer encrypted responses at once", found: "more",
                retryAfterSeconds: 2)
        }
        do throws(AuthorizationResponseRefusal) {
            return try read.get()
        } catch {
            throw ResponseJudgement.failure(error, by: place.responseRules(requiresIssuer: false))
        }
    }

    /// Refuses an encrypted response of somebody who began no login here, before a private key is used for it.
    ///
    /// Anybody can encrypt to a public key, and to decrypt by RSA takes milliseconds; a login that was begun was counted.
    /// Who has a session may come once more with a response that is used up.
    private func checkBegun(_ request: LoginRequest, at place: LoginClient) async throws(LoginFailure) {
        let redirectURI = place.redirectURI(request.publicURL)
        let opened = place.sealer.openAny(request.cookies.span, redirectURI: redirectURI, now: place.now)
        if case .found = opened { return }
        if try await place.liveSession(of: request) != nil { return }
        if case .expired = opened { throw Self.expired }
        throw Self.unknown
    }

    private static let expired = LoginFailure(
        .loginTransactionExpired, check: "CF-03", expected: "a login of the last ten minutes", found: "an older one")

    private static let unknown = LoginFailure(
        .loginTransactionUnknown, check: "CF-03", expected: "a login that this browser began", found: "none")

    /// Where the login of a state that is used up led, at whichever replica, for the browser that has its session.
    private func led(
        _ state: [UInt8], _ request: LoginRequest, at place: LoginClient
    ) async throws(LoginFailure) -> String? {
        guard let session = try await place.liveSession(of: request) else { return nil }
        if let location = outcomes.location(SHA256.hash(state.span), session: session.id, now: place.now) {
            return location
        }
        guard let shared = place.shared else { return nil }
        do throws(StoreRefusal) {
            guard let outcome = try await shared.outcome(ofState: state), outcome.session == session.id else {
                return nil
            }
            return outcome.location
        } catch {
            throw .storeUnavailable(check: "SH-63", expected: "the store's word on where the login led")
        }
    }

    /// The ends of a transaction's cookie that is of no use any more.
    private func stale(
        _ response: UncheckedAuthorizationResponse, _ request: LoginRequest, at place: LoginClient
    ) -> [String] {
        let name = TransactionSealer.cookieName(state: response.state)
        guard CookieField.value(of: name, in: request.cookies.span) != .none else { return [] }
        return SetCookie.deletion(name: name, sameSite: place.transactionSameSite)
    }
}

/// One callback whose transaction this browser has.
struct Callback: Sendable {
    let place: LoginClient
    let request: LoginRequest
    let response: UncheckedAuthorizationResponse
    let transaction: LoginTransaction
    /// Of the state.
    let digest: SHA256Digest

    /// The line that takes the transaction's cookie away, and the one that counts the login among those that ended.
    var endings: [String] {
        SetCookie.deletion(
            name: TransactionSealer.cookieName(state: response.state), sameSite: place.transactionSameSite)
            + [EndedLogins.next(in: request.cookies.span, now: place.now)]
    }
}

extension CallbackService {
    /// The one answer to a callback, however often it came.
    private func answer(_ callback: Callback) async -> LoginAnswer {
        let place = callback.place
        do throws(LoginFailure) {
            // Before the transaction is used up: with nothing known of the server, a reload may do better.
            let server = try await place.server()
            if let led = try await useUp(callback) { return led }
            await memory.hosted.remove(
                state: callback.response.state,
                in: place.settings.authorization.form == .signedByReference ? place.shared : nil)
            return try await judge(callback, server)
        } catch {
            return await refusal(error, of: callback)
        }
    }

    /// Uses the transaction up; the answer where that happened before (CF-25).
    ///
    /// Anybody can begin logins and come back from them. What is remembered of one network leaves as much room again, so
    /// that whoever floods it stops their own logins first, and those of everybody else go on.
    private func useUp(_ callback: Callback) async throws(LoginFailure) -> LoginAnswer? {
        let (place, digest) = (callback.place, callback.digest)
        let lifetime = Int64(TransactionSealer.lifetimeSeconds)
        let outcome = await memory.states.use(
            digest, holder: callback.request.holder(of: digest), until: callback.transaction.createdAt + lifetime,
            now: place.now,
            askStore: place.shared.map { shared in
                { () async throws(StoreRefusal) in try await shared.use(state: digest, lifetimeSeconds: lifetime) }
            })
        switch outcome {
        case .first: return nil
        // Only that replica knows where it led: the browser has the session by now, or begins another login there.
        case .usedElsewhere:
            return LoginAnswer(.redirect(callback.transaction.target), cookies: Array(callback.endings.prefix(1)))
        case .unavailable:
            throw .storeUnavailable(check: "SH-63", expected: "the store's word on whether the state was used")
        case .used:
            if try await place.liveSession(of: callback.request) != nil {
                return LoginAnswer(.redirect(callback.transaction.target), cookies: Array(callback.endings.prefix(1)))
            }
            if let location = outcomes.justLed(digest, now: place.now) {
                return LoginAnswer(.redirect(location), cookies: Array(callback.endings.prefix(1)))
            }
            throw LoginFailure(.loginTransactionUsed, check: "CF-25", expected: "a new state", found: "a used one")
        case .fullForHolder:
            throw LoginFailure(
                .clientLoginsTooMany, check: "CF-25", expected: "one client's part of the room for used states",
                found: "more", retryAfterSeconds: 5)
        case .full:
            throw LoginFailure(
                .sessionStoreUnavailable, check: "CF-25", expected: "room to remember a used state", found: "none",
                retryAfterSeconds: 5)
        }
    }

    private func judge(_ callback: Callback, _ server: ServerMetadata) async throws(LoginFailure) -> LoginAnswer {
        switch try await ResponseJudgement(callback: callback, server: server).outcome() {
        case .error(let error):
            // Whatever a server says to a question in silence, it may say it to its user.
            if callback.transaction.isSilentFirst(at: callback.place)
                || error.meaning == .interactionRequired && callback.mayTryAgain
            {
                return try await again(callback)
            }
            throw ResponseJudgement.failure(error)
        case .code(let code):
            let result = try await exchange.redeem(code, callback, server)
            switch result {
            case .session(let answer, let session):
                await keep(LoginOutcome(session: session.id, location: callback.transaction.target), of: callback)
                return answer
            case .insufficient(let failure):
                guard callback.mayTryAgain else { throw failure }
                return try await again(callback)
            }
        }
    }

    /// Remembers where a login led, here and where the other replicas find it.
    private func keep(_ outcome: LoginOutcome, of callback: Callback) async {
        let (place, lifetime) = (callback.place, Int64(TransactionSealer.lifetimeSeconds))
        outcomes.keep(
            callback.digest, location: outcome.location, session: outcome.session, since: place.now,
            until: place.now + lifetime)
        await place.shared?.note(outcome, ofState: Array(callback.response.state.utf8), lifetimeSeconds: lifetime)
    }

    /// Sends the browser to the server once more, which is to ask its user this time (STEP-04, CF-24).
    private func again(_ callback: Callback) async throws(LoginFailure) -> LoginAnswer {
        var answer = try await starts.begin(
            LoginPlan(again: callback.transaction, at: callback.place), callback.request, at: callback.place,
            endedBefore: true)
        answer.cookies = callback.endings + answer.cookies
        return answer
    }

    private func refusal(_ failure: LoginFailure, of callback: Callback) async -> LoginAnswer {
        let place = callback.place
        let isSilent = callback.transaction.isSilent(at: place)
        // OIDC-16: who asked in silence is told in silence, and nothing is tried again.
        if isSilent, [.loginResponseError, .loginAccessDenied].contains(failure.refusal) {
            let failure = LoginFailure(
                .loginRequired, check: "OIDC-16", expected: failure.detail.expected, found: failure.detail.found)
            return failure.answer(at: place, cookies: callback.endings, retry: nil)
        }
        let isUndone = failure.refusal == .loginServerUnavailable || failure.refusal == .storeUnavailable
        return failure.answer(
            at: place, cookies: isUndone ? [] : callback.endings, retry: callback.transaction.start(at: place))
    }
}

extension Callback {
    /// Whether another login may be begun for this one that makes the server ask: once, and not for one in silence.
    var mayTryAgain: Bool {
        transaction.attempts < transaction.unforced(at: place) && !transaction.isSilent(at: place)
    }
}

extension LoginTransaction {
    /// Where the browser goes on, with the fragment it began with.
    var target: String {
        guard let fragment, !returnTo.utf8.contains(UInt8(ascii: "#")) else { return returnTo }
        return returnTo + "#" + fragment
    }
}

extension LoginClient {
    /// The session that a request's cookie stands for, if it is one; refuses where the store does not say.
    func liveSession(of request: LoginRequest) async throws(LoginFailure) -> Session? {
        switch await session(in: request.cookies) {
        case .none: return nil
        case .found(let session, _, _): return session
        case .unavailable:
            throw .storeUnavailable(check: "SH-74", expected: "the store's word on a session")
        }
    }
}
