import Access
import TestTraits
import Testing

/// What a route asks for, by the numbers of its predicates.
private struct Asked: Sendable {
    var scopes: [Int32] = []
    var detailsForm: [Int32] = []
    var details: [Int32] = []
    var classes: [Int32] = []
    var maximumAge: Int64 = -1
    var user: [Int32] = []
    var claims: [Int32] = []

    /// Everything at once, spread over two words.
    static let all = Asked(
        scopes: [0, 1], detailsForm: [2], details: [3, 66], classes: [4, 5], maximumAge: 300, user: [6],
        claims: [7, 127])

    /// What holds all of it: both scopes and details, one class, the user and both claims.
    static let enough: Set<Int32> = [0, 1, 2, 3, 66, 5, 6, 7, 127]

    /// What a token, or a session, that is answered yes to these numbers lacks.
    func missing(_ held: Set<Int32>, _ authentication: Authentication? = nil, isSession: Bool = false) -> MissingRight?
    {
        var words: [UInt64] = [0, 0]
        for number in held { words[Int(number) / 64] |= 1 << UInt64(number % 64) }
        let bits = words
        let (all, form, wanted) = (self.scopes, self.detailsForm, self.details)
        let (some, person, rules) = (self.classes, self.user, self.claims)
        let rights = RequiredRights(
            scopes: all.span, detailsForm: form.span, details: wanted.span, authenticationClasses: some.span,
            maximumAge: maximumAge, user: person.span, claims: rules.span)
        let answers = AnswerBits(bits.span)
        if isSession { return rights.missing(inSession: answers, authentication) }
        return rights.missing(inToken: answers, authentication)
    }
}

/// Just recent enough for 300 seconds.
private let recent = Authentication(at: 1000, now: 1330, leeway: 30)
private let old = Authentication(at: 1000, now: 1331, leeway: 30)

@Suite struct `the rights of a token` {
    @Test(.holds("RS-19", "RS-20", "RS-21", "RAR-01", "STEP-01", "STEP-02"))
    func `are enough when everything that is asked for is there, and no more`() {
        #expect(Asked.all.missing(Asked.enough, recent) == nil)
        #expect(Asked.all.missing(Asked.enough.union([4, 8, 64]), recent) == nil)
    }

    @Test(.holds("RS-19")) func `are enough where nothing is asked for, whoever comes`() {
        #expect(Asked().missing([]) == nil)
        #expect(Asked().missing([], old) == nil)
        #expect(Asked().missing(Asked.enough) == nil)
    }

    @Test(
        .refuses("RS-19", "RS-20", "RS-21", "RAR-01", "STEP-01"),
        arguments: [
            (0, .scope), (1, .scope), (2, .wellFormedDetails), (3, .details), (66, .details),
            (5, .authenticationClass), (6, .user), (7, .claim), (127, .claim),
        ] as [(Int32, MissingRight)])
    func `are too few without any one of them`(number: Int32, right: MissingRight) {
        #expect(Asked.all.missing(Asked.enough.subtracting([number]), recent) == right)
    }

    @Test(.holds("STEP-02"), .refuses("STEP-02")) func `are too few a second after an authentication grew old`() {
        #expect(Asked.all.missing(Asked.enough, old) == .recentAuthentication)
        var asked = Asked.all
        asked.maximumAge = 301
        #expect(asked.missing(Asked.enough, old) == nil)
        asked.maximumAge = -1
        #expect(asked.missing(Asked.enough, old) == nil, "nobody asks for an age")
    }

    @Test(.refuses("STEP-02")) func `are too few when an age is asked for and nobody knows it`() {
        #expect(Asked.all.missing(Asked.enough, nil) == .recentAuthentication)
        #expect(Asked(maximumAge: 0).missing([]) == .recentAuthentication)
        #expect(Asked(maximumAge: .max).missing([]) == .recentAuthentication)
    }

    @Test(.holds("STEP-02"), .refuses("STEP-02")) func `are enough at an age of zero for whoever is authenticated now`()
    {
        let now = Authentication(at: 1000, now: 1000, leeway: 0)
        let before = Authentication(at: 999, now: 1000, leeway: 0)
        #expect(Asked(maximumAge: 0).missing([], now) == nil)
        #expect(Asked(maximumAge: 0).missing([], before) == .recentAuthentication)
    }

    @Test(.holds("STEP-01"), .refuses("STEP-01")) func `are enough with any one of the classes`() {
        let asked = Asked(classes: [4, 5, 100])
        for number in asked.classes { #expect(asked.missing([number]) == nil, "\(number)") }
        #expect(asked.missing([]) == .authenticationClass)
        #expect(asked.missing([3, 6]) == .authenticationClass)
    }

    @Test(.holds("RAR-01"), .refuses("RAR-01")) func `are enough with a malformed claim that nobody asks for`() {
        let asked = Asked(detailsForm: [2])
        #expect(asked.missing([]) == nil)
        #expect(Asked(detailsForm: [2], details: [3]).missing([3]) == .wellFormedDetails)
        #expect(Asked(detailsForm: [2], details: [3]).missing([2, 3]) == nil)
    }

    @Test(.holds("STEP-03")) func `are told one at a time, in the order of REQUIREMENTS 0 3`() {
        var held: Set<Int32> = []
        var told: [MissingRight?] = []
        for numbers in [[0, 1], [2], [3, 66], [4]] as [Set<Int32>] {
            told.append(Asked.all.missing(held, old))
            held.formUnion(numbers)
        }
        told.append(Asked.all.missing(held, old))
        told.append(Asked.all.missing(held, recent))
        held.insert(6)
        told.append(Asked.all.missing(held, recent))
        held.formUnion([7, 127])
        told.append(Asked.all.missing(held, recent))
        #expect(
            told == [
                .scope, .wellFormedDetails, .details, .authenticationClass, .recentAuthentication, .user, .claim, nil,
            ])
        // What is told is the first of the causes as they are declared, too.
        #expect(told.dropLast().compactMap { $0 } == MissingRight.allCases)
    }
}

@Suite struct `the rights of a session` {
    @Test(.holds("STEP-04")) func `are enough with scopes, authentication and claims`() {
        #expect(Asked.all.missing([0, 1, 4, 7, 127], recent, isSession: true) == nil)
        #expect(Asked().missing([], isSession: true) == nil)
    }

    @Test(
        .refuses("CF-32", "STEP-04", "RS-20"),
        arguments: [
            (0, .scope), (1, .scope), (5, .authenticationClass), (7, .claim), (127, .claim),
        ] as [(Int32, MissingRight)])
    func `are too few without any one of them`(number: Int32, right: MissingRight) {
        let held = Asked.enough.subtracting([number])
        #expect(Asked.all.missing(held, recent, isSession: true) == right)
    }

    @Test(.refuses("STEP-04")) func `are too few after an authentication grew old, or when nobody knows its time`() {
        #expect(Asked.all.missing(Asked.enough, old, isSession: true) == .recentAuthentication)
        #expect(Asked.all.missing(Asked.enough, nil, isSession: true) == .recentAuthentication)
    }

    @Test(.holds("CF-32")) func `are told in the same order: scopes, authentication, claims`() {
        #expect(Asked.all.missing([], old, isSession: true) == .scope)
        #expect(Asked.all.missing([0, 1], old, isSession: true) == .authenticationClass)
        #expect(Asked.all.missing([0, 1, 5], old, isSession: true) == .recentAuthentication)
        #expect(Asked.all.missing([0, 1, 5], recent, isSession: true) == .claim)
    }
}

@Suite struct `a missing right` {
    @Test(
        .refuses("RS-19", "RS-20", "RS-21", "RAR-01", "STEP-01", "STEP-02"),
        arguments: [
            (.scope, .scopeInsufficient, 403), (.wellFormedDetails, .authorizationDetailsMalformed, 401),
            (.details, .authorizationDetailsInsufficient, 403),
            (.authenticationClass, .authenticationInsufficient, 401),
            (.recentAuthentication, .authenticationTooOld, 401), (.user, .userRequired, 403),
            (.claim, .claimRuleUnmet, 403),
        ] as [(MissingRight, Refusal, UInt16)])
    func `is refused by its own cause`(right: MissingRight, refusal: Refusal, status: UInt16) {
        #expect(right.refusalOfToken == refusal)
        #expect(refusal.status == status)
        #expect(refusal.blame == .client)
    }

    @Test(.refuses("CF-32")) func `of a session is refused alike, but for a scope, which no challenge asks for`() {
        for right in MissingRight.allCases where right != .scope {
            #expect(right.refusalOfSession == right.refusalOfToken)
        }
        #expect(MissingRight.scope.refusalOfSession == .sessionScopeInsufficient)
        #expect(MissingRight.scope.refusalOfSession.template == .denied)
        #expect(MissingRight.scope.refusalOfToken.template == .scope)
    }
}
