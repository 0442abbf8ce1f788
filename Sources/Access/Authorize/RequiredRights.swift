/// What a route asks of a verified token or session for one method: numbers of predicates, and an age.
///
/// Borrowed from the route's memory. The judgement compares bits that were worked out when the token was verified, and
/// one time; it reads no claim and allocates nothing.
package struct RequiredRights: ~Escapable {
    private let scopes: Span<Int32>
    private let detailsForm: Span<Int32>
    private let details: Span<Int32>
    private let authenticationClasses: Span<Int32>
    private let maximumAge: Int64
    private let user: Span<Int32>
    private let claims: Span<Int32>

    /// What is asked, in the order in which it is looked at.
    ///
    /// `detailsForm` is asked where `details` are. One of `authenticationClasses` must hold, unless there is none.
    /// `maximumAge` is in seconds; a negative one does not ask.
    @_lifetime(
        copy scopes, copy detailsForm, copy details, copy authenticationClasses, copy user, copy claims)
    package init(
        scopes: Span<Int32>, detailsForm: Span<Int32>, details: Span<Int32>, authenticationClasses: Span<Int32>,
        maximumAge: Int64, user: Span<Int32>, claims: Span<Int32>
    ) {
        self.scopes = scopes
        self.detailsForm = detailsForm
        self.details = details
        self.authenticationClasses = authenticationClasses
        self.maximumAge = maximumAge
        self.user = user
        self.claims = claims
    }

    /// The first right that a token lacks; nil when it has all of them (Requirements.md).
    ///
    /// Scopes and authorization details, then how and when the user was authenticated, then policy. `authentication`
    /// may be left out where no age is asked for.
    package func missing(inToken answers: AnswerBits, _ authentication: Authentication?) -> MissingRight? {
        guard answers.allHold(scopes) else { return .scope }
        if !details.isEmpty {
            guard answers.allHold(detailsForm) else { return .wellFormedDetails }
            guard answers.allHold(details) else { return .details }
        }
        if let missing = missingAuthentication(answers, authentication) { return missing }
        guard answers.allHold(user) else { return .user }
        return answers.allHold(claims) ? nil : .claim
    }

    /// The first right that a browser's session lacks; nil when it has all of them.
    ///
    /// Neither a user nor authorization details are asked of it: it is a user's, and no login's requirements name any.
    package func missing(inSession answers: AnswerBits, _ authentication: Authentication?) -> MissingRight? {
        guard answers.allHold(scopes) else { return .scope }
        if let missing = missingAuthentication(answers, authentication) { return missing }
        return answers.allHold(claims) ? nil : .claim
    }

    /// The right kind of authentication, and not too long ago (RFC 9470 §3); a token that does not say has neither.
    ///
    /// Where both are missing the first is told; the challenge names everything that the route asks for (STEP-03).
    private func missingAuthentication(
        _ answers: AnswerBits, _ authentication: Authentication?
    ) -> MissingRight? {
        if !authenticationClasses.isEmpty, !answers.oneHolds(authenticationClasses) { return .authenticationClass }
        guard maximumAge >= 0 else { return nil }
        // Nobody's authentication is recent when nobody said when it was.
        guard let authentication, authentication.isRecent(maximumAge: maximumAge) else {
            return .recentAuthentication
        }
        return nil
    }
}
