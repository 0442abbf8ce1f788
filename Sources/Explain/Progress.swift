import Access
import Gateway

/// How far a judgement came: which checks had passed when it ended, and which it never came to.
///
/// The judgement says which stage it reached. Of the checks of one stage those that stand before it in the table have
/// passed, as `CheckTests` sees of every pair of mistakes.
struct Progress {
    /// Where it ended, and how; nil where nothing ended it.
    private let end: (check: Check.ID, state: Explanation.State)?
    private let reached: Stage

    init(_ verdict: Verdict, reached: Stage) {
        self.reached = reached
        switch verdict {
        case .forwarded, .answered: end = nil
        case .refused(let refusal, _, _, let row):
            end = (LoggedRefusal(refusal, row: row).explained.check, .failed)
        case .undecided(let question, _): end = (Check.ID(question), .undecided)
        }
    }

    /// How the check ended, which may have had nothing to do.
    func state(of check: Check.ID, isNeeded: Bool) -> Explanation.State {
        if let end {
            if check == end.check { return end.state }
            if isNeeded, isBehindEnd(check, end.check) { return .notReached }
        }
        return isNeeded ? .passed : .notNeeded
    }

    private func isBehindEnd(_ check: Check.ID, _ last: Check.ID) -> Bool {
        guard check.stage == last.stage, last.stage == reached else { return check.stage.rawValue > reached.rawValue }
        return Self.place(of: check) > Self.place(of: last)
    }

    private static func place(of check: Check.ID) -> Int { places[check] ?? places.count }

    private static let places: [Check.ID: Int] = Dictionary(
        zip(Check.table.map(\.id), Check.table.indices), uniquingKeysWith: { first, _ in first })
}

extension Check.ID {
    /// The stage of the judgement that makes the check.
    var stage: Stage {
        switch self {
        case .message, .connectionOptions, .connect: .target
        case .authority, .path, .loginPath, .route: .route
        case .addressRate: .addressLimit
        case .method: .method
        case .origin: .origin
        case .webSocket: .webSocket
        case .credentials, .scheme, .queryToken, .session, .sessionTokens, .samePage, .tokenForm, .introspection,
            .tokenIssuer, .keys, .tokenType, .tokenAlgorithm, .tokenKey, .tokenSignature, .dates, .expiry, .notBefore,
            .issuedAt, .claims, .purpose, .confirmation, .issuerOfRoute, .audience, .binding, .proofCount, .proofForm,
            .proofType, .proofAlgorithm, .proofKey, .proofClaims, .proofMethod, .proofTarget, .proofNonce, .proofTime,
            .proofTokenHash, .proofSignature, .proofBinding, .clientCertField, .certificate:
            .authenticate
        case .scope, .authorizationDetails, .acr, .maxAge, .user, .claimRules: .authorize
        case .requestRate: .identityLimit
        case .exchange: .exchange
        case .body, .identity, .upstreamCredential, .upstream: .plan
        case .replay, .sharedReplay: .spend
        }
    }
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
            case .proof: .sharedReplay
            }
    }
}
