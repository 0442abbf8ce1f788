package import Testing

/// Says which rows of the requirements a test carries, and which side of them it shows.
///
/// A row is told by what holds and by what is refused, so each wants a test of either kind; `RequirementTests` counts them
/// in the source of the tests.
package struct RequirementTrait: TestTrait, SuiteTrait {
    /// What a test shows of a row.
    package enum Side: Sendable {
        /// What the row promises is there where everything is right.
        case holds
        /// What the row forbids is refused, or does not come to pass.
        case refuses
    }

    /// The rows, such as `RS-13`.
    package let rows: [String]
    /// What the test shows of them.
    package let side: Side
}

extension Trait where Self == RequirementTrait {
    /// The test shows that what these rows promise is there where everything is right.
    package static func holds(_ rows: String...) -> Self { RequirementTrait(rows: rows, side: .holds) }

    /// The test shows that what these rows forbid is refused, or does not come to pass.
    package static func refuses(_ rows: String...) -> Self { RequirementTrait(rows: rows, side: .refuses) }
}
