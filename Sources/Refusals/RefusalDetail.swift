/// Expected and found, said to the operator only; never a secret, and nothing unverified as fact.
package struct RefusalDetail: Sendable, Equatable {
    /// What would have been let through.
    package var expected: String
    /// What came in its place.
    package var found: String
    /// The row of the check, where it is more precise than the refusal's own.
    package var check: String

    /// What was expected and found; empty where nothing can be said.
    package init(expected: String = "", found: String = "", check: String = "") {
        self.expected = expected
        self.found = found
        self.check = check
    }
}
