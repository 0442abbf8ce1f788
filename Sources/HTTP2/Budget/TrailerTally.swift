/// How many fields behind a body were dropped so far for what they are (H2-50), by the message that they came behind.
///
/// Of all connections with one memory: nobody is told of a field that a section was rebuilt without.
public struct TrailerTally: Sendable {
    /// Behind requests of clients.
    public internal(set) var ofRequests: UInt64 = 0
    /// Behind answers of upstreams.
    public internal(set) var ofResponses: UInt64 = 0

    /// None so far.
    init() {}
}
