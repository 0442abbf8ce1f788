import Access
import Bytes
import Crypto
import Issuers
import Refusals
import StatusPages
import Telemetry

extension AdminPage {
    /// `/`: the status page.
    init(statusOf gateway: Gateway, isHead: Bool) {
        self.init(
            status: 200, body: StatusPage.bytes(StatusReport(of: gateway)), contentType: "text/html; charset=utf-8",
            isHead: isHead)
        fields =
            "Content-Security-Policy: \(StatusPage.contentSecurityPolicy)\r\nReferrer-Policy: no-referrer\r\n"
            + "X-Frame-Options: DENY\r\nCross-Origin-Resource-Policy: same-origin\r\n"
            + "Cross-Origin-Opener-Policy: same-origin\r\n"
    }
}

extension StatusReport {
    /// Refused requests that are listed.
    private static let refusedLimit = 20

    /// How the gateway is now; on the control loop.
    ///
    /// Asks no worker: it reads what they count, as a scrape does.
    init(of gateway: Gateway) {
        let clock = WorkerClock()
        let readings = gateway.registry.readings
        self.init(
            now: clock.wallSeconds(), startedAt: readings.startTime.seconds, version: gateway.registry.version)
        site = gateway.settings.listeners.first?.publicURL ?? ""
        isDraining = gateway.isDraining
        configuration = Configuration(of: gateway, appliedAt: readings.reloads.appliedAt)
        issuers = zip(gateway.settings.issuers, gateway.generation.issuerStatuses).map { settings, named in
            Issuer(settings, named.status)
        }
        total = gateway.registry.figures
        recent =
            gateway.figureHistory.recent(total, at: clock.microseconds())
            ?? (total, max(now - startedAt, 1))
        serving = readings.serving
        replay = readings.replay
        process = .now()
        refusedRequests = gateway.decisions?.latestRefusals(Self.refusedLimit).map(RefusedRequest.init)
    }
}

extension StatusReport.Configuration {
    fileprivate init(of gateway: Gateway, appliedAt: Int64) {
        self.init()
        let reload = gateway.reload
        number = gateway.generation.number
        workers = gateway.workers.count
        file = reload.source?.path
        digest = reload.source == nil ? nil : Hex.encode(SHA256.hash(reload.text.bytes.span).bytes.span)
        self.appliedAt = appliedAt
        fault = reload.lastFault.map { ($0, reload.faultCount) }
        reloadedAt = reload.endedAt
        restartNeeded = reload.restartNeeded
    }
}

extension StatusReport.Issuer {
    fileprivate init(_ settings: IssuerSettings, _ status: IssuerStatus) {
        self.init(settings.name, url: settings.url)
        switch status.readiness {
        case .ready: state = .ready
        case .stale: state = .stale
        case .waiting: state = .waiting
        case .failed: state = .withoutKeys
        }
        keyCount = status.keyCount
        fetchedAt = status.fetchedAt
        lastError = status.lastRefusal?.word
        failures = status.failures
    }
}

extension StatusReport.RefusedRequest {
    fileprivate init(_ refused: DecisionBuffer.RefusedRequest) {
        self.init(
            id: refused.id.text, time: refused.time, cause: "\(refused.cause.word)",
            status: UInt16(clamping: refused.status))
        method = refused.method
        path = refused.path
    }
}
