// Whoever judges requests says refusals: their table comes with it.
@_exported public import Refusals

/// The refusal of one request: its cause, what the operator reads beside it, and where its client would log in.
///
/// A value that is thrown, returned and waited with, so that no other request can find it: a line of the log has no word of
/// another request, whatever the order in which they come. Its words are put together when they are written.
package struct Refused: Error, Sendable {
    /// The row of the table that says how it is answered.
    package let cause: Refusal
    /// What would have been let through.
    package var expected: Words
    /// What came in its place.
    package var found: Words
    /// The row of the check, where it is more precise than the cause's own.
    package var check: String
    /// Where the login begins that the client lacks; nil where none would help.
    package var login: LoginPointer?

    /// A refusal for this cause; answers nobody by itself.
    package init(_ cause: Refusal, _ detail: RefusalDetail = RefusalDetail(), login: LoginPointer? = nil) {
        self.init(cause, expected: .text(detail.expected), found: .text(detail.found), check: detail.check)
        self.login = login
    }

    /// The same with what was expected and what was found, of one check where it is more precise than the cause.
    package init(_ cause: Refusal, expected: Words, found: Words, check: String = "") {
        self.cause = cause
        self.expected = expected
        self.found = found
        self.check = check
    }

    /// What the operator reads beside it: made anew each time, for whoever writes it down.
    package var detail: RefusalDetail {
        RefusalDetail(expected: expected.text, found: found.text, check: check)
    }
}
