/// A row of what the gateway promises, by the id that code, tests, documents and log lines name.
package struct Requirement: Sendable {
    /// The id, such as `RS-13`: a family, a hyphen, and a number or a word.
    package let id: String
    /// The sections of standards, or the decision, that the promise comes from.
    package let source: String
    /// Who does what, in a plain sentence or a few.
    package let promise: String
}

/// Rows about one subject, whose ids begin alike.
package struct RequirementFamily: Sendable {
    /// What the ids have before the hyphen.
    package let prefix: String
    /// What the rows are about.
    package let title: String
    /// Whether a test carries each row as one that holds, and a test as one that refuses.
    package let isTested: Bool
    /// The rows, in the order of their ids.
    package let rows: [Requirement]
}
