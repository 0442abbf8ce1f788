// Whoever judges requests says refusals: their table comes with it.
@_exported public import Refusals

/// The refusal of one request: its cause, what the operator reads beside it, and where its client would log in.
///
/// A value that is thrown, returned and waited with. It is no note in the worker that the next request could find: a line
/// of the log has no word of another request, whatever the order in which they come.
package struct Refused: Error, Sendable {
    /// The row of the table that says how it is answered.
    package let cause: Refusal
    /// What the operator reads beside it.
    package var detail: RefusalDetail
    /// Where the login begins that the client lacks; nil where none would help.
    package var login: LoginPointer?

    /// A refusal for this cause; answers nobody by itself.
    package init(_ cause: Refusal, _ detail: RefusalDetail = RefusalDetail(), login: LoginPointer? = nil) {
        self.cause = cause
        self.detail = detail
        self.login = login
    }

    /// The same with what was expected and what was found, of one check where it is more precise than the cause.
    package init(_ cause: Refusal, expected: String, found: String, check: String = "") {
        self.init(cause, RefusalDetail(expected: expected, found: found, check: check))
    }
}
