/// A stronger or fresher authentication that a route asks for, beside what the client asks for always (RFC 9470 §4).
public struct StepUp: Sendable, Hashable {
    /// Takes the place of the client's `acr_values` unless empty, best first.
    public var acrValues: [String]
    /// Seconds; of this and the client's the smaller one is asked for.
    public var maximumAge: Int?
    /// The user is to be asked even where the server knows them: it did not listen the first time (STEP-04).
    public var forcesPrompt: Bool

    /// Nothing more than always, or what is said.
    public init(acrValues: [String] = [], maximumAge: Int? = nil, forcesPrompt: Bool = false) {
        self.acrValues = acrValues
        self.maximumAge = maximumAge
        self.forcesPrompt = forcesPrompt
    }
}
