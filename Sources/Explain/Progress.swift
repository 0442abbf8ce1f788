import Access
import Gateway

/// How far a judgement came: which checks had passed when it ended, and which it never came to.
///
/// The judgement itself says no more than where it ended, so what lies before that is told by the order of the table,
/// here and nowhere else.
struct Progress {
    /// Where it ended, and how; nil where nothing ended it.
    private let end: (place: Int, state: Explanation.State)?
    /// Whether the proof was still unspent when it ended at the upstream's room, which is looked at before.
    private let keepsProof: Bool

    init(_ verdict: Verdict) {
        switch verdict {
        case .forwarded, .answered:
            end = nil
            keepsProof = false
        case .refused(let refusal, _, _, let row):
            end = (Self.place(of: LoggedRefusal(refusal, row: row).explained.check), .failed)
            keepsProof = refusal == .upstreamConnectionsExhausted || refusal == .upstreamShareExhausted
        case .undecided(let question, _):
            end = (Self.place(of: Check.ID(question)), .undecided)
            keepsProof = false
        }
    }

    /// How the check ended, which may have had nothing to do.
    func state(of check: Check.ID, isNeeded: Bool) -> Explanation.State {
        guard let end else { return isNeeded ? .passed : .notNeeded }
        let place = Self.place(of: check)
        if place == end.place { return end.state }
        if keepsProof, check == .replay { return .notReached }
        if !isNeeded { return .notNeeded }
        return place > end.place ? .notReached : .passed
    }

    private static func place(of check: Check.ID) -> Int { places[check] ?? places.count }

    private static let places: [Check.ID: Int] = Dictionary(
        zip(Check.table.map(\.id), Check.table.indices), uniquingKeysWith: { first, _ in first })
}

extension Check.ID {
    /// The check that could not be made.
    init(_ question: OpenQuestion) {
        self =
            switch question {
            case .keys: .keys
            case .introspection: .introspection
            case .session: .session
            case .sessionTokens: .sessionTokens
            case .nonce: .proofNonce
            case .exchange: .exchange
            }
    }
}
