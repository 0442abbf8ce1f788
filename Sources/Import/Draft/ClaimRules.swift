import Configuration

/// One rule of a claim: some values, of which it must have one, or all.
struct ClaimRule: Sendable, Hashable {
    var claim: String
    var values: [String]
    var wantsAll = false

    /// What holds where both hold; nil where no rule of one claim says that.
    func and(_ other: ClaimRule) -> ClaimRule? {
        switch (wantsAll, other.wantsAll) {
        case (false, false):
            // Of a claim with several values this may be less than what both let through, and is never more.
            let both = values.filter(other.values.contains)
            if !both.isEmpty { return ClaimRule(claim: claim, values: both) }
            return values.count == 1 && other.values.count == 1 ? all(with: other) : nil
        case (true, true): return all(with: other)
        case (true, false): return other.and(self)
        case (false, true):
            if values.contains(where: other.values.contains) { return other }
            return values.count == 1 ? all(with: other) : nil
        }
    }

    private func all(with other: ClaimRule) -> ClaimRule? {
        let all = values + other.values.filter { !values.contains($0) }
        return all.count <= ClaimRules.mostValues ? ClaimRule(claim: claim, values: all, wantsAll: true) : nil
    }

    /// As an entry of `claims`.
    var text: String {
        let list = YAMLText.list(values)
        return "\(YAMLText.scalar(claim)): " + (wantsAll ? "{ all: \(list) }" : list)
    }
}

/// Whom a route lets pass: claims that must have some values, the address of mail, and what nobody has decided yet.
struct ClaimRules: Sendable {
    /// A claim that no server issues: a route that asks for it lets nobody pass.
    static let undecidedClaim = "import_undecided"
    /// Of a claim, and in one place of the source, at most so many are taken.
    static let mostValues = 64
    /// One more is for what is undecided.
    private static let mostClaims = 31

    /// All of these hold.
    private(set) var claims: [ClaimRule] = []
    /// One of these holds, where there are any.
    private(set) var alternatives: [ClaimRule] = []
    private(set) var email: EmailRule?
    /// Settings that restricted access and were not carried.
    private(set) var undecided: [String] = []
    /// Values that let somebody pass there, and for which there is no room.
    private(set) var left: [ClaimRule] = []

    var isEmpty: Bool { claims.isEmpty && alternatives.isEmpty && email == nil && undecided.isEmpty }

    /// Rules of which one is enough, where these say no more than that.
    var oneOf: [ClaimRule]? {
        guard undecided.isEmpty, email == nil, left.isEmpty else { return nil }
        if alternatives.isEmpty { return claims.count == 1 && !claims[0].wantsAll ? claims : nil }
        return claims.isEmpty ? alternatives : nil
    }

    /// Asks for one of the values; beside an earlier rule of the same claim only what both let through is left.
    mutating func require(_ claim: String, _ values: [String], from setting: String) {
        guard let rule = limited(ClaimRule(claim: claim, values: values)) else { return undecide(setting) }
        require(rule, from: setting)
    }

    private mutating func require(_ rule: ClaimRule, from setting: String) {
        if let index = claims.firstIndex(where: { $0.claim == rule.claim }) {
            if let both = claims[index].and(rule) { claims[index] = both } else { undecide(setting) }
        } else if claims.count < Self.mostClaims {
            claims.append(rule)
        } else {
            undecide(setting)
        }
    }

    /// Asks for one of these rules; those of one claim are one rule.
    mutating func require(oneOf rules: [ClaimRule], from setting: String) {
        var joined: [ClaimRule] = []
        for rule in rules {
            if let index = joined.firstIndex(where: { $0.claim == rule.claim }) {
                joined[index].values += rule.values
            } else {
                joined.append(rule)
            }
        }
        let fitting = joined.compactMap { limited($0) }
        left += fitting.dropFirst(Self.mostClaims)
        let own = Array(fitting.prefix(Self.mostClaims))
        if own.count == 1 {
            require(own[0], from: setting)
        } else if own.isEmpty || !alternatives.isEmpty && alternatives != own {
            undecide(setting)
        } else {
            alternatives = own
        }
    }

    /// Asks for an address of mail; beside an earlier rule only what both let through is left.
    mutating func require(_ rule: EmailRule, from setting: String) {
        if rule.domains.isEmpty, rule.file == nil { return undecide(setting) }
        guard let own = email else { return email = rule }
        if let both = own.and(rule) { email = both } else { undecide(setting) }
    }

    /// A rule of as many values as are taken; nil where there are none, or where no claim is called so.
    private mutating func limited(_ rule: ClaimRule) -> ClaimRule? {
        var values: [String] = []
        var known: Set<String> = []
        for value in rule.values where !value.isEmpty && known.insert(value).inserted { values.append(value) }
        guard !values.isEmpty, AcceptedText.isGood(rule.claim, for: .claim) else { return nil }
        if values.count > Self.mostValues {
            left.append(ClaimRule(claim: rule.claim, values: Array(values.dropFirst(Self.mostValues))))
        }
        return ClaimRule(claim: rule.claim, values: Array(values.prefix(Self.mostValues)), wantsAll: rule.wantsAll)
    }

    /// Lets nobody pass until the operator has decided about a setting.
    mutating func undecide(_ setting: String) {
        let name = Printable.ascii(setting, limit: 64)
        if !undecided.contains(name), undecided.count < 32 { undecided.append(name) }
    }

    /// Those, and these too.
    mutating func add(_ more: ClaimRules) {
        for claim in more.claims { require(claim, from: claim.claim) }
        if !more.alternatives.isEmpty { require(oneOf: more.alternatives, from: more.alternatives[0].claim) }
        if let email = more.email { require(email, from: "email") }
        for setting in more.undecided { undecide(setting) }
        for rule in more.left where !left.contains(rule) { left.append(rule) }
    }

    /// As keys of a login.
    var text: String {
        var parts = claims.map(\.text)
        if !undecided.isEmpty { parts.append("\(Self.undecidedClaim): \(YAMLText.list(undecided))") }
        var keys = parts.isEmpty ? [] : ["claims: { \(parts.joined(separator: ", ")) }"]
        if !alternatives.isEmpty {
            keys.append("any_claims: { \(alternatives.map(\.text).joined(separator: ", ")) }")
        }
        if let email { keys.append("email: \(email.text)") }
        return keys.joined(separator: ", ")
    }
}
