/// What is known to be missing.
///
/// The lists may only shrink, and end empty.
enum KnownGaps {
    /// Words of the catalogues that no code says yet.
    static let unusedWords: Set<String> = []

    /// Requirement rows of which tests show only what is refused: most of them forbid something and promise nothing else.
    static let rowsThatOnlyRefuse: Set<String> = [
        "CF-23", "HTTP-03", "HTTP-05", "HTTP-10", "HTTP-13", "HTTP-23", "HTTP-39", "JOSE-12", "JOSE-20",
        "JOSE-21", "JOSE-23", "MCP-04", "RS-10",
    ]

    /// Requirement rows of which tests show only what holds.
    static let rowsThatOnlyHold: Set<String> = ["HTTP-09", "JAR-03", "MD-24"]

    /// Files that list most causes of refusals, beside the table and its golden one.
    static let listsOfCauses: Set<String> = [
        // Which check of `explain` each cause belongs to, and what to change.
        "Sources/Explain/Checks/RefusalRow.swift",
        // Which request of a proof's sender each cause refuses.
        "Tests/GatewayTests/Authenticate/ProofTrials.swift",
    ]
}
