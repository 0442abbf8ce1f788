extension RequirementTable {
    /// Rows of what gateways with one store do not have in common.
    static let ownState: [Requirement] = [
        Requirement(
            id: "SH-67", source: "policy of this gateway",
            promise: """
                What authorization servers say of tokens, tokens that were exchanged or verified, and keys of issuers stay in each \
                process: the store has none of them.
                """),
        Requirement(
            id: "SH-68", source: "policy of this gateway",
            promise: """
                Limits of logins and of what one address may do wrong count in each process: with several replicas the sum is \
                theirs together, and the store is told nothing.
                """),
        Requirement(
            id: "SH-69", source: "policy of this gateway",
            promise: "No setting, no key and no secret of a gateway's is handed on by the store."),
        Requirement(
            id: "SH-72", source: "policy of this gateway",
            promise: """
                A store is not asked to tell by itself what has changed, and what it says unasked ends the connection: the log of \
                endings says the same.
                """),
    ]
}
