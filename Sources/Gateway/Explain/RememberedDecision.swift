/// A decision that is remembered of a request, and what it was made by: all that an explanation is made from.
package struct RememberedDecision: Sendable {
    package let evidence: RequestEvidence
    package let verdict: Verdict
    /// The configuration that it was made by.
    package let settings: GatewaySettings
    /// Unix seconds.
    package let time: Int64
    /// Another configuration has taken the place of that one.
    package let isByEarlierConfiguration: Bool
    /// What logs call the request and this decision, by the members of their lines.
    package let names: [(member: String, text: String)]

    /// Writes a decision for whoever asks for it: as JSON, or as text.
    package typealias Writer = @Sendable (_ decision: RememberedDecision, _ asJSON: Bool) -> [UInt8]
}
