import HTTPMessage
import Issuers
import JSON
import Telemetry

/// One answer of the admin listener.
struct AdminPage {
    let status: UInt16
    private let contentType: String
    private let body: [UInt8]
    private let isHead: Bool
    /// Lines of the head beside those that every answer has.
    var fields = ""

    init(status: UInt16, text: String, contentType: String = "text/plain; charset=utf-8", isHead: Bool = false) {
        self.init(status: status, body: Array(text.utf8), contentType: contentType, isHead: isHead)
    }

    init(status: UInt16, body: [UInt8], contentType: String, isHead: Bool) {
        self.status = status
        self.body = body
        self.contentType = contentType
        self.isHead = isHead
    }

    /// `/`, `/metrics`, `/healthz`, `/startupz`, `/readyz` or `/explain/…`; `accept` is what the client says that it reads.
    init(path: String, method: MethodID, accept: [UInt8] = [], _ gateway: Gateway) {
        let isHead = method == .head
        guard method == .get || isHead else {
            self.init(status: 405, text: "only GET\n")
            return
        }
        switch path {
        case "/": self.init(statusOf: gateway, isHead: isHead)
        case "/metrics":
            let format = ExpositionFormat(accepted: accept)
            self.init(
                status: 200, body: gateway.registry.page(format), contentType: "\(format.contentType)", isHead: isHead)
        // Answered by the control loop: the process lives and turns.
        case "/healthz": self.init(status: 200, text: "ok\n", isHead: isHead)
        // The listeners are open before this listener is.
        case "/startupz": self.init(status: 200, text: "started\n", isHead: isHead)
        case "/readyz": self.init(readinessOf: gateway, isHead: isHead)
        case _ where path.hasPrefix(AdminPage.explanations):
            self.init(explanationOf: path.dropFirst(AdminPage.explanations.utf8.count), gateway, isHead: isHead)
        default: self.init(status: 404, text: "unknown page\n", isHead: isHead)
        }
    }

    /// Ready when every issuer's keys are at hand and no stop was asked for; the body says which are not, and why.
    private init(readinessOf gateway: Gateway, isHead: Bool) {
        var isReady = !gateway.isDraining
        var lines: [String] = []
        for (name, status) in gateway.generation.issuerStatuses {
            let word: String
            switch status.readiness {
            case .ready: word = "ready"
            case .stale: word = "stale"
            case .waiting: word = "waiting"
            case .failed: word = "failed"
            }
            if status.readiness == .waiting || status.readiness == .failed { isReady = false }
            var writer = JSONWriter()
            writer.beginObject()
            writer.name("issuer")
            writer.string(name)
            writer.name("state")
            writer.string(word)
            writer.name("keys")
            writer.integer(Int64(status.keyCount))
            if let refusal = status.lastRefusal {
                writer.name("reason")
                writer.string(refusal.word)
            }
            writer.endObject()
            lines.append(writer.text)
        }
        let clock = gateway.storeReports.clockFault.map { ",\"clock\":\"\($0)\"" } ?? ""
        if !gateway.storeReports.isReady(gateway.settings.store) { isReady = false }
        let state = gateway.isDraining ? "draining" : isReady ? "ready" : "not_ready"
        // What is served is as good as before; that it is not what the file says is for people to know.
        var configuration = JSONWriter()
        configuration.beginObject()
        configuration.name("state")
        configuration.string(gateway.reload.lastFault == nil ? "current" : "refused")
        configuration.name("number")
        configuration.integer(Int64(gateway.generation.number))
        if let fault = gateway.reload.lastFault {
            configuration.name("reason")
            configuration.string(fault)
        }
        if !gateway.reload.restartNeeded.isEmpty {
            configuration.name("restart_needed")
            configuration.beginArray()
            for setting in gateway.reload.restartNeeded { configuration.string(setting) }
            configuration.endArray()
        }
        configuration.endObject()
        let issuers = lines.joined(separator: ",")
        let shared = gateway.storeReports.reach.map { $0.members + clock } ?? ""
        self.init(
            status: isReady ? 200 : 503,
            text:
                "{\"state\":\"\(state)\",\"configuration\":\(configuration.text),\"issuers\":[\(issuers)]\(shared)}\n",
            contentType: "application/json", isHead: isHead)
    }

    /// The whole message.
    var bytes: [UInt8] {
        let head =
            "HTTP/1.1 \(status) \(Status.reason(status))\r\n\(DateLine(seconds: WorkerClock().wallSeconds()).text)"
            + "Content-Type: \(contentType)\r\n"
            + "Content-Length: \(body.count)\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
            + "\(fields)Connection: close\r\n\r\n"
        return Array(head.utf8) + (isHead ? [] : body)
    }
}

extension StoreReach {
    /// The members of the page that say how the store is, each with a comma before it.
    fileprivate var members: String {
        let since = downSince.map { ",\"store_down_since\":\"\(UnixTime.text($0))\"" } ?? ""
        guard state == .partly else { return ",\"store\":\"\(state.rawValue)\"\(since)" }
        var writer = JSONWriter()
        writer.beginArray()
        for server in lost {
            writer.beginObject()
            writer.name("address")
            writer.string(server.place.text)
            writer.name("down_since")
            writer.string(UnixTime.text(server.since))
            writer.endObject()
        }
        writer.endArray()
        return ",\"store\":\"\(state.rawValue)\",\"store_servers_down\":\(writer.text)"
    }
}
