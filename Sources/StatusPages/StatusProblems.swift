import Telemetry

/// Something that a person should look at, and where on the page there is more of it.
struct StatusProblem {
    enum Weight: Int, Comparable {
        case warn, bad

        static func < (first: Weight, second: Weight) -> Bool { first.rawValue < second.rawValue }
    }

    let weight: Weight
    /// HTML.
    let text: String
    /// The id of a section.
    let section: String

    /// The days a certificate is good for from which on it is a warning, and bad: as the alerts that ship have them.
    static let certificateWarning: Int64 = 14
    static let certificateBad: Int64 = 2
}

extension StatusReport {
    /// All that is wrong, the worst first; what clients do wrong is not, however much of it there is.
    var problems: [StatusProblem] {
        let found =
            ours() + issuerProblems() + upstreamProblems() + certificateProblems() + configurationProblems()
            + resourceProblems()
        return found.filter { $0.weight == .bad } + found.filter { $0.weight == .warn }
    }

    /// Requests that were refused for something that is not the client's.
    private func ours() -> [StatusProblem] {
        let reasons = [
            ("upstream", "of an upstream"), ("issuer", "of an issuer"), ("capacity", "of this gateway's limits"),
        ]
        return reasons.compactMap { blame, because in
            let causes = recentCauses.map(\.figures).filter { $0.blame == blame }
            guard causes.total > 0 else { return nil }
            let words = causes.prefix(3).map { StatusWords.cause($0.cause) }.joined(separator: ", ")
            let requests = StatusWords.count(Int(clamping: causes.total), "request was", "requests were")
            return StatusProblem(
                weight: .bad, text: "In \(span) \(requests) refused because \(because): \(words)", section: "refused")
        }
    }

    private func issuerProblems() -> [StatusProblem] {
        issuers.compactMap { issuer in
            let name = "<b>\(StatusWords.name(issuer.name))</b>"
            let reason = issuer.lastError.map { ": \(StatusWords.cause($0))" } ?? ""
            switch issuer.state {
            case .ready: return nil
            case .stale:
                return StatusProblem(
                    weight: .warn, text: "The keys of issuer \(name) are old and cannot be read again\(reason)",
                    section: "issuers")
            case .waiting:
                return StatusProblem(
                    weight: .warn, text: "The keys of issuer \(name) have not been read yet", section: "issuers")
            case .withoutKeys:
                return StatusProblem(
                    weight: .bad, text: "There are no keys of issuer \(name): its tokens are answered 503\(reason)",
                    section: "issuers")
            }
        }
    }

    private func upstreamProblems() -> [StatusProblem] {
        total.upstreams.filter { $0.isUp == false }.map { upstream in
            StatusProblem(
                weight: .bad, text: "Upstream <b>\(StatusWords.name(upstream.name))</b> cannot be reached",
                section: "upstreams")
        }
    }

    private func certificateProblems() -> [StatusProblem] {
        serving.certificates.compactMap { certificate in
            let days = daysLeft(certificate)
            guard days < StatusProblem.certificateWarning else { return nil }
            let file = "<b>\(StatusWords.name(certificate.file))</b>"
            return StatusProblem(
                weight: days < StatusProblem.certificateBad ? .bad : .warn,
                text: days < 0
                    ? "The certificate \(file) has expired"
                    : "The certificate \(file) is good for \(StatusWords.duration(certificate.notAfter - now)) more",
                section: "certificates")
        }
    }

    private func configurationProblems() -> [StatusProblem] {
        var problems: [StatusProblem] = []
        if let fault = configuration.fault {
            let more = fault.count > 1 ? " (and \(fault.count - 1) more)" : ""
            problems.append(
                StatusProblem(
                    weight: .warn,
                    text:
                        "The newest configuration was refused\(more): <code>\(StatusWords.name(fault.text, limit: 300))</code>",
                    section: "process"))
        }
        if !configuration.restartNeeded.isEmpty {
            let settings = configuration.restartNeeded.prefix(8).map { StatusWords.name($0) }.joined(separator: ", ")
            problems.append(
                StatusProblem(
                    weight: .warn, text: "Only a restart brings these into force: <code>\(settings)</code>",
                    section: "process"))
        }
        return problems
    }

    private func resourceProblems() -> [StatusProblem] {
        var problems: [StatusProblem] = []
        if let open = process.openDescriptors, let limit = process.descriptorLimit, open * 10 >= limit * 8 {
            problems.append(
                StatusProblem(
                    weight: .warn,
                    text:
                        "\(StatusWords.share(UInt64(max(open, 0)), of: UInt64(max(limit, 0)))) of the descriptors that "
                        + "the process may have are open", section: "process"))
        }
        if let replay, replay.capacity > 0, replay.entries * 10 >= replay.capacity * 8 {
            let share = StatusWords.share(UInt64(max(replay.entries, 0)), of: UInt64(replay.capacity))
            problems.append(
                StatusProblem(
                    weight: .warn, text: "The memory of used DPoP proofs is \(share) full", section: "process"))
        }
        if recent.figures.droppedLogLines > 0 {
            let count = Int(clamping: recent.figures.droppedLogLines)
            problems.append(
                StatusProblem(
                    weight: .warn, text: "The logs lost \(StatusWords.count(count, "line", "lines"))",
                    section: "process"))
        }
        return problems
    }

    /// Whole days until it ends; below zero once it has.
    func daysLeft(_ certificate: ServingReadings.Certificate) -> Int64 {
        let seconds = certificate.notAfter - now
        return seconds < 0 ? -1 : seconds / 86_400
    }
}
