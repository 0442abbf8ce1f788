import Refusals

/// Why a login goes no further: what the browser is told, and what only the operator is.
struct LoginFailure: Error, Sendable {
    let refusal: Refusal
    let detail: RefusalDetail
    /// Somebody has to act: waiting, or trying again, will not help.
    let isAlarm: Bool
    /// What the server said of when to ask again.
    let retryAfterSeconds: Int?
    /// The server was not asked, or says that it cannot answer now: nothing is known that was not known before.
    let isOutage: Bool

    init(
        _ refusal: Refusal, check: String, expected: String, found: String, isAlarm: Bool = false,
        retryAfterSeconds: Int? = nil, isOutage: Bool = false
    ) {
        self.refusal = refusal
        detail = RefusalDetail(expected: expected, found: found, check: check)
        self.isAlarm = isAlarm
        self.retryAfterSeconds = retryAfterSeconds
        self.isOutage = isOutage
    }

    /// More of one network, or of one user, wait than one may have, and the rest is for others: nothing was signed or
    /// sent, and neither the server nor the gateway is short of anything.
    static let tooManyOfClient = LoginFailure(
        .clientLoginsTooMany, check: "OPS-05", expected: "one client's part of what waits to be signed or sent",
        found: "more", retryAfterSeconds: 1, isOutage: true)

    /// The store that replicas have in common was not asked, or gave no answer that counts: nothing was decided, and the
    /// browser keeps what it brought (SH-74).
    static func storeUnavailable(check: String, expected: String) -> LoginFailure {
        LoginFailure(
            .storeUnavailable, check: check, expected: expected, found: "no answer that counts", retryAfterSeconds: 1)
    }

    /// The answer to the browser; tells the operator where that is needed.
    func answer(at place: LoginClient, cookies: [String] = [], retry: String?) -> LoginAnswer {
        if isAlarm { place.alarm(refusal, detail) }
        var fields: [(String, String)] = []
        if let seconds = retryAfterSeconds { fields.append(("Retry-After", String(min(max(seconds, 1), 3600)))) }
        return LoginAnswer(.refused(refusal, detail: detail), cookies: cookies, fields: fields, retry: retry)
    }
}
