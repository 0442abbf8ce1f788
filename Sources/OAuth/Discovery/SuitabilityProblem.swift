/// One thing that is configured for a client and that its server does not offer (MD-07); nothing in it is secret.
public struct SuitabilityProblem: Error, Sendable, Hashable {
    /// The row of the catalogue that forbids going on.
    public let checkID: String
    /// What is configured, such as `authorization_request is pushed`.
    public let configured: String
    /// What the server says, with the name of the member it says it in.
    public let offered: String

    init(_ checkID: String, _ configured: String, _ offered: String) {
        self.checkID = checkID
        self.configured = configured
        self.offered = offered
    }
}
