/// The exchanges of one worker that wait for an answer, in the order in which they began to.
struct WaitingExchanges {
    var first: ExchangeRef?
    var last: ExchangeRef?
    var count = 0
    /// Those of them that do not wait for the answer to a login's request.
    var countOfOthers = 0
    /// How many ever waited.
    var total: UInt64 = 0
}
