import Access
import HTTPMessage
import Issuers
import JOSE
import OAuth
import Refusals
import Synchronization
import Telemetry

/// Turns what happens to issuers' keys into log lines and numbers; called on the directory's loop.
final class IssuerReports: Sendable {
    private let issuers: [IssuerSettings]
    private let log: OperatorLog
    private let metrics: IssuerMetrics
    private let audit: Auditor?
    /// Endpoints that were told of.
    private let told = Mutex<Set<String>>([])

    init(_ issuers: [IssuerSettings], _ log: OperatorLog, _ metrics: IssuerMetrics, audit: Auditor? = nil) {
        self.audit = audit
        self.issuers = issuers
        self.log = log
        self.metrics = metrics
    }

    func changed(_ issuer: Int, _ keys: IssuerKeys?) {
        metrics.setReady(issuer: issuer, keys != nil)
        if let keys { metrics.setKeysFetched(issuer: issuer, at: keys.fetchedAt) }
        if let keys { audit?.noteKeys(of: issuers[issuer].url, keys) }
    }

    func report(_ issuer: Int, _ event: IssuerEvent) {
        let name = LogField(.issuer, issuers[issuer].name)
        switch event {
        case .metadataAccepted(let jwksURI): log.write(.debug, .issuerMetadataRead, name, LogField(.url, jwksURI))
        case .metadataKept(let refusal):
            metrics.countRefresh(issuer: issuer, .failed)
            log.write(
                .warning, .issuerRefreshFailed, name, LogField(.reason, refusal.word), detail(refusal),
                asked(issuer, refusal))
        case .jwksHostChanged(let from, let to):
            log.write(.warning, .issuerMetadataChanged, name, LogField(.expected, from), LogField(.found, to))
        case .keysPublished(let count, let ignored, let removed):
            metrics.countRefresh(issuer: issuer, .changed)
            log.write(.info, .issuerReady, name, LogField(.count, count))
            if ignored > 0 { log.write(.warning, .keyIgnored, name, LogField(.count, ignored)) }
            if removed > 0 { log.write(.info, .issuerKeysChanged, name, LogField(.count, removed)) }
        case .keysUnchanged: metrics.countRefresh(issuer: issuer, .unchanged)
        case .privateKeyExposed(let count):
            log.write(.error, .privateKeyPublished, name, LogField(.count, count))
        case .guessableKeys(let count): log.write(.warning, .keyGuessable, name, LogField(.count, count))
        case .refreshFailed(let refusal, let nextAttempt):
            metrics.countRefresh(issuer: issuer, .failed)
            log.write(
                .warning, .issuerRefreshFailed, name, LogField(.reason, refusal.word), detail(refusal),
                asked(issuer, refusal), LogField(.seconds, nextAttempt ?? 0))
        case .stale(let seconds): log.write(.warning, .issuerKeysStale, name, LogField(.seconds, seconds))
        case .withdrawn: log.write(.error, .issuerKeysWithdrawn, name)
        case .unknownKeyRefetch: log.write(.debug, .issuerKeysReread, name)
        case .unknownKeyRefetchSuppressed: metrics.countRefresh(issuer: issuer, .limited)
        case .introspectionFailed(.answerTooLarge(let limit), let count):
            log.write(
                .error, .introspectionFailed, name, LogField(.reason, "answer_too_large"),
                LogField(.setting, "issuers.\(issuers[issuer].name).introspection.answer_limit"),
                LogField(.expected, "at most \(limit) bytes"), LogField(.found, "more"), LogField(.count, count))
        case .introspectionFailed(.answerTooComplex(let expected), let count):
            log.write(
                .error, .introspectionFailed, name, LogField(.reason, "answer_too_complex"),
                LogField(.expected, "an answer \(expected)"), LogField(.found, "more"),
                LogField(.count, count))
        case .introspectionFailed(let refusal, let count):
            log.write(.warning, .introspectionFailed, name, reason(refusal), detail(refusal), LogField(.count, count))
        case .exchangeFailed(let refusal, let count):
            log.write(.warning, .exchangeFailed, name, reason(refusal), detail(refusal), LogField(.count, count))
        case .clientRefused(let client, let status, let count):
            log.write(
                .error, .clientRefused, name, LogField(.setting, "clients.\(client)"), LogField(.status, status),
                LogField(.count, count))
        case .exchangeTargetRefused(let client, let count):
            log.write(
                .error, .exchangeTargetRefused, name, LogField(.setting, "clients.\(client)"), LogField(.count, count))
        }
    }

    /// Tells of endpoints that no question will be sent to, for clients that introspect or exchange (MD-08); once for
    /// each URL.
    func judge(_ metadata: ServerMetadata, of issuer: Int, _ clients: [ClientSettings], exchangers: [Int]) {
        guard let ports = IssuerRequests(settings: issuers[issuer]).ports else { return }
        let introspection = issuers[issuer].introspection
        for (index, client) in clients.enumerated() where client.issuer == issuer {
            let method = client.credentials.method
            var places: [(member: String, url: String)?] = []
            if introspection?.client == index, introspection?.endpoint == nil {
                places.append(metadata.introspection.place("introspection_endpoint", for: method))
            }
            if exchangers.contains(index) { places.append(metadata.token.place("token_endpoint", for: method)) }
            for place in places.compactMap(\.self) {
                guard let uri = URI(place.url), !ports.permit(uri) else { continue }
                guard told.withLock({ $0.count < 1000 && $0.insert("\(issuer) \(place.member) \(place.url)").inserted })
                else { continue }
                log.write(
                    .error, .endpointRefused, LogField(.issuer, issuers[issuer].name),
                    LogField(.setting, "clients.\(client.name)"), LogField(.expected, ports.expected),
                    LogField(.found, "\(place.member) is \(String(place.url.prefix(200)))"))
            }
        }
    }

    /// Where metadata was looked for that is not acceptable: the operator's own URL of the issuer may be another one's.
    private func asked(_ issuer: Int, _ refusal: IssuerRefusal) -> LogField {
        guard case .metadata = refusal else { return LogField(.url, issuers[issuer].url) }
        return LogField(.url, IssuerRequests(settings: issuers[issuer]).metadataLocations.joined(separator: " "))
    }

    private func reason(_ refusal: LookupRefusal) -> LogField { LogField(.reason, refusal.word) }

    private func detail(_ refusal: some Error) -> LogField { LogField(.detail, CauseWords.of(refusal)) }
}

/// The names of the signature algorithms, in the order of their raw values.
package enum SignatureNames {
    package static let all = SignatureAlgorithm.allCases.map(\.name)
}
