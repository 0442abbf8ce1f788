import Telemetry
import Gateway
import Transport

/// Warns of certificates that load and that no client accepts all the same.
enum CertificateJudgement {
    /// How long before its end somebody should know of it: time to find out why nothing renewed it.
    static let noticeSeconds: Int64 = 14 * 86_400

    /// Notes that a certificate is no longer or not yet good, or will soon be over.
    static func judgeTime(_ file: ConfigurationSources.File, at place: Place, _ translation: Translation) {
        guard let facts = CertificateFacts(pem: file.bytes, hosts: []) else { return }
        let now = translation.sources.now
        let good = "a certificate that is good now and for \(noticeSeconds / 86_400) days"
        if now > facts.notAfter {
            translation.problems.warning(
                at: place, expected: good, found: "one that expired on \(UnixTime.text(facts.notAfter))",
                remedy: "renew it: whoever verifies it refuses the connection")
        } else if now < facts.notBefore {
            translation.problems.warning(
                at: place, expected: good,
                found: "one that is good from \(UnixTime.text(facts.notBefore)) on, and it is \(UnixTime.text(now))",
                remedy: "wait until then, or set this machine's clock")
        } else if facts.notAfter - now < noticeSeconds {
            let days = (facts.notAfter - now) / 86_400
            translation.problems.warning(
                at: place, expected: good,
                found: "one that expires on \(UnixTime.text(facts.notAfter)), in \(days) \(days == 1 ? "day" : "days")",
                remedy: "renew it, and see why nothing has; a running gateway takes the new file by itself")
        }
    }

    /// A host of a listener, and the key of the configuration that has it.
    typealias Host = (host: String, key: String)

    /// Notes the hosts of a listener that none of its certificates is for.
    static func judgeNames(_ tls: CheckedObject, _ hosts: [Host], _ translation: Translation) {
        let paths = TLSSection.certificatePaths(tls, translation)
        var names: [String] = []
        var unnamed = hosts.map(\.host)
        for path in paths {
            // One that cannot be read has been told of, and may have the names.
            guard case .success(let file) = translation.sources.file(translation.resolved(path), 1 << 20),
                let facts = CertificateFacts(pem: file.bytes, hosts: unnamed)
            else { return }
            names += facts.names.filter { !names.contains($0) }
            unnamed = facts.unnamed
        }
        guard let place = paths.first?.place else { return }
        var told: Set<String> = []
        for (host, key) in hosts where unnamed.contains(host) && told.insert(host).inserted {
            let found = names.isEmpty ? "one without names" : names.prefix(5).map(Quoted.bare).joined(separator: ", ")
            translation.problems.warning(
                at: place, expected: "a certificate for \(Quoted.bare(host)), which \(key) names",
                found: names.count > 5 ? "\(found) and \(names.count - 5) more" : found,
                remedy: "get a certificate with that name in its subjectAltName: browsers refuse any other")
        }
    }
}
