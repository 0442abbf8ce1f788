import HTTPMessage
import Issuers
import JOSE
import OAuth
import Synchronization
import TestSupport

/// A directory with a clock, a network and a loop that do what the test says, and a record of what it told.
final class World: Sendable {
    static let issuer = "https://id.example.com/t"
    static let metadataURL = "https://id.example.com/t/.well-known/openid-configuration"
    static let keysURL = "https://id.example.com/keys"

    let clock = ManualClock()
    let fetcher = ScriptedFetcher()
    let executor = ManualExecutor()
    let directory: IssuerDirectory
    private let told = Told()

    init(_ settings: IssuerSettings...) {
        let told = self.told
        directory = IssuerDirectory(
            settings: settings.isEmpty ? [World.settings()] : settings, fetching: fetcher, clock: clock,
            executor: executor,
            listeners: .init(
                onChange: { index, keys in told.record.withLock { $0.published.append((index, keys)) } },
                onRefreshEnded: { index in told.record.withLock { $0.ends.append(index) } },
                onRefreshRefused: { index, who in
                    told.record.withLock { record in
                        record.ends.append(index)
                        record.refused.append(who.client)
                    }
                },
                onEvent: { _, event in told.record.withLock { $0.events.append(event) } }))
        answerMetadata()
        answerKeys([.rsa])
    }

    deinit {
        // What sleeps keeps the directory, and the directory what sleeps.
        directory.stop()
        executor.drain()
    }

    /// An issuer found by OpenID Connect discovery.
    static func settings(
        url: String = issuer, discovery: IssuerSettings.Discovery = .openIDConnect,
        keys: IssuerSettings.Keys = .discovered
    ) -> IssuerSettings {
        IssuerSettings(
            name: "main", url: url, discovery: discovery, keys: keys, rules: AccessTokenRules(issuer: url))
    }

    // MARK: the other side

    func answerMetadata(
        at url: String = metadataURL, issuer: String = issuer, keysURL: String = keysURL, maxAge: Int? = nil
    ) {
        let text = "{\"issuer\":\"\(issuer)\",\"jwks_uri\":\"\(keysURL)\"}"
        fetcher.answer(
            url,
            with: .success(
                FetchResponse(
                    status: 200, contentType: "application/json", maxAgeSeconds: maxAge, body: Array(text.utf8))))
    }

    func answerKeys(_ keys: [SigningKey], at url: String = keysURL, maxAge: Int? = nil) {
        answer(SigningKey.keySet(keys), at: url, maxAge: maxAge)
    }

    func answer(_ text: String, at url: String = keysURL, status: Int = 200, maxAge: Int? = nil) {
        fetcher.answer(
            url, with: .success(FetchResponse(status: status, maxAgeSeconds: maxAge, body: Array(text.utf8))))
    }

    func fail(_ url: String, _ refusal: FetchRefusal = .timedOut) { fetcher.answer(url, with: .failure(refusal)) }

    // MARK: what happens

    func start() {
        directory.start()
        executor.drain()
    }

    func requestRefresh(_ index: Int = 0, by who: KeyAsker = .accessToken, for client: AskingClient = .many) {
        directory.requestRefresh(issuer: index, by: KeyRequester(who, for: client))
        executor.drain()
    }

    func release() {
        fetcher.release()
        executor.drain()
    }

    /// Lets that much time pass; whoever is due on the way wakes at its own time.
    func pass(seconds: Double) {
        let end = clock.now().milliseconds + Int64(seconds * 1000)
        var wakes = 0
        while let next = clock.nextDeadline, next <= end {
            wakes += 1
            precondition(wakes < 10_000, "a timer is set for a time that has passed, again and again")
            clock.move(to: max(next, clock.now().milliseconds))
            executor.drain()
        }
        clock.move(to: end)
        executor.drain()
    }

    // MARK: what was told

    var status: IssuerStatus { directory.status(of: 0) }
    var keys: IssuerKeys? { directory.keys(of: 0) }
    var keyIDs: [String?]? { keys?.keySet.keys.map(\.keyID) }
    /// Snapshots handed out, in order.
    var published: [IssuerKeys?] { told.record.withLock { $0.published.map(\.1) } }
    /// How often `onRefreshEnded` was called.
    var ends: Int { told.record.withLock { $0.ends.count } }
    var endedIssuers: [Int] { told.record.withLock { $0.ends } }
    /// Who was told that there is no refresh for them, in order.
    var refused: [AskingClient] { told.record.withLock { $0.refused } }
    /// The events since the last call.
    func takeEvents() -> [IssuerEvent] {
        told.record.withLock { record in
            defer { record.events = [] }
            return record.events
        }
    }

    private final class Told: Sendable {
        struct Record {
            var published: [(Int, IssuerKeys?)] = []
            var ends: [Int] = []
            var refused: [AskingClient] = []
            var events: [IssuerEvent] = []
        }
        let record = Mutex(Record())
    }
}
