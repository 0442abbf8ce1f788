import Configuration

/// Where somebody's address of mail must be, as `email` of a login.
struct EmailRule: Sendable, Equatable {
    /// At most so many are taken.
    static let mostDomains = 64

    var domains: [String] = []
    var takesSubdomains = false
    /// A file of addresses that pass too.
    var file: String?

    /// What the domains of oauth2-proxy let through, of which `.example.com` is what is below that domain alone; and those
    /// that are left out, because ours has the domain itself with it, or because they are none.
    static func of(_ domains: [String]) -> (rule: EmailRule, left: [String]) {
        var (plain, below, left): ([String], [String], [String]) = ([], [], [])
        for domain in domains {
            let name = domain.lowercased()
            let base =
                name.hasPrefix("*.") ? String(name.dropFirst(2)) : name.hasPrefix(".") ? String(name.dropFirst()) : name
            if !AcceptedText.isGood(base, for: .mailDomain) {
                left.append(domain)
            } else if base == name {
                if !plain.contains(base) { plain.append(base) }
            } else if !below.contains(base) {
                below.append(base)
            }
        }
        var rule = EmailRule(domains: Array(plain.prefix(mostDomains)))
        left += plain.dropFirst(mostDomains)
        if !plain.isEmpty, Set(plain) == Set(below) {
            rule.takesSubdomains = true
        } else {
            left += below.map { "." + $0 }
        }
        return (rule, left)
    }

    /// What lets through whom both let through; nil where no rule says that.
    func and(_ other: EmailRule) -> EmailRule? {
        if self == other { return self }
        guard file == nil, other.file == nil, takesSubdomains == other.takesSubdomains else { return nil }
        let both = domains.filter(other.domains.contains)
        return both.isEmpty ? nil : EmailRule(domains: both, takesSubdomains: takesSubdomains)
    }

    var text: String {
        var parts: [String] = []
        if !domains.isEmpty { parts.append("domain: \(YAMLText.list(domains))") }
        if takesSubdomains { parts.append("subdomains: true") }
        if let file { parts.append("file: \(YAMLText.scalar(file))") }
        return "{ \(parts.joined(separator: ", ")) }"
    }
}
