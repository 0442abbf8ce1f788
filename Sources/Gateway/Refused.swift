/// The refusal of one request: its cause, what the operator reads beside it, and where its client would log in.
///
/// A value that is thrown, returned and waited with. It is no note in the worker that the next request could find: a line
/// of the log has no word of another request, whatever the order in which they come.
struct Refused: Error {
    let cause: Refusal
    var detail: RefusalDetail
    /// Where the login begins that the client lacks; nil where none would help.
    var login: LoginPointer?

    init(_ cause: Refusal, _ detail: RefusalDetail = RefusalDetail(), login: LoginPointer? = nil) {
        self.cause = cause
        self.detail = detail
        self.login = login
    }
}

/// Expected and found, said to the operator only; never a secret, and nothing unverified as fact.
struct RefusalDetail {
    var expected = ""
    var found = ""
    /// The row of the check, where it is more precise than the refusal's own.
    var check = ""
}

extension WorkerRef {
    /// A refusal with what the operator should read beside it; answers nobody by itself.
    func refuse(_ cause: Refusal, _ expected: String, _ found: String, check: String = "") -> Refused {
        Refused(cause, RefusalDetail(expected: expected, found: found, check: check))
    }
}
