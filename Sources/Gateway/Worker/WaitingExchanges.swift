/// The exchanges of one worker that wait for an answer, in the order in which they began to; those that wait for the store
/// are counted here, and found by their numbers.
struct WaitingExchanges {
    var first: ExchangeRef?
    var last: ExchangeRef?
    var count = 0
    /// Those of them that wait for what an authorization server says of their credentials.
    var countOfOthers = 0
    /// Those of them that wait for what the store says of their proofs: they take no place of the others.
    var countOfProofs = 0
    /// How many ever waited.
    var total: UInt64 = 0
    /// Those of the session whose requests go on in this call; nil between.
    var claimsAtHand: ClaimsAtHand?
}
