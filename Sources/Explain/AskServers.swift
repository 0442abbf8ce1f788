import Access
package import Crypto
import EventLoop
import Fetch
package import Gateway
import HTTPMessage
package import Issuers
import JSON
import Login
package import OAuth
import Synchronization

/// One issuer's keys, read now as the gateway reads them, for a request that waits for them.
package enum ReadKeys {
    /// The keys that the issuer publishes; throws a sentence when they are not to be had within the time.
    ///
    /// With a directory, a client and a loop of its own: whatever keeps the gateway from reading the keys keeps this
    /// from it too, as long as both run on one machine.
    package static func live(
        of issuer: IssuerSettings, timeoutMilliseconds: Int
    ) throws(KeysMissing) -> IssuerKeys {
        let loop: EventLoop
        do throws(EventLoopFailure) {
            loop = try EventLoop()
        } catch {
            throw KeysMissing(reason: "a loop could not be made: \(error)")
        }
        let timer = LoopTimer(loop: loop) { loop.stop() }
        timer.arm(milliseconds: timeoutMilliseconds)
        let directory = IssuerDirectory(
            settings: [issuer], fetching: CurlFetcher(loop: loop), clock: LoopClock(loop: loop), executor: loop,
            listeners: IssuerDirectory.Listeners(
                onChange: { _, _ in loop.stop() }, onRefreshEnded: { _ in },
                onEvent: { _, event in if case .refreshFailed = event { loop.stop() } }))
        directory.start()
        loop.run()
        timer.cancel()
        if let keys = directory.keys(of: 0) { return keys }
        guard let refusal = directory.status(of: 0).lastRefusal else {
            throw KeysMissing(reason: "no answer within \(timeoutMilliseconds) ms")
        }
        throw KeysMissing(reason: "\(refusal.word) (\(CauseWords.of(refusal)))")
    }

    /// Keys of a JWK Set that the operator gives, judged as one that the configuration names.
    package static func given(
        _ document: [UInt8], for issuer: IssuerSettings
    ) throws(KeysMissing) -> IssuerKeys {
        var issuer = issuer
        issuer.keys = .document(document)
        return try live(of: issuer, timeoutMilliseconds: 1000)
    }
}

/// What a server says about itself, read now as the gateway reads it.
package enum ReadMetadata {
    /// The metadata of an issuer; throws a sentence when it is not to be had within the time.
    package static func live(
        of issuer: IssuerSettings, timeoutMilliseconds: Int
    ) throws(KeysMissing) -> ServerMetadata {
        guard let loop = try? EventLoop() else { throw KeysMissing(reason: "a loop could not be made") }
        let timer = LoopTimer(loop: loop) { loop.stop() }
        timer.arm(milliseconds: timeoutMilliseconds)
        let directory = IssuerDirectory(
            settings: [issuer], fetching: CurlFetcher(loop: loop), clock: LoopClock(loop: loop), executor: loop,
            listeners: IssuerDirectory.Listeners(
                onChange: { _, _ in loop.stop() }, onRefreshEnded: { _ in }, onMetadata: { _ in loop.stop() },
                onEvent: { _, event in if case .refreshFailed = event { loop.stop() } }))
        directory.start()
        loop.run()
        timer.cancel()
        if let metadata = directory.metadata(of: 0) { return metadata }
        guard let refusal = directory.status(of: 0).lastRefusal else {
            throw KeysMissing(reason: "no answer within \(timeoutMilliseconds) ms")
        }
        throw KeysMissing(reason: "\(refusal.word) (\(CauseWords.of(refusal)))")
    }
}

/// A login client held against its server now.
package enum AskAboutLogin {
    /// The review of the client with this name, or a line that begins with `NOT KNOWN` where the server does not tell;
    /// throws for a name that no login has.
    package static func review(
        of name: String, _ settings: GatewaySettings, asJSON: Bool, timeoutMilliseconds: Int
    ) throws(RequestDraft.Problem) -> String {
        guard let login = settings.logins.first(where: { $0.name == name }) else {
            throw RequestDraft.Problem(
                text: "--login wants the name of a client that a route logs in with: "
                    + ShownText.words(settings.logins.map(\.name)))
        }
        let issuer = settings.issuers[settings.clients[login.client].issuer]
        let metadata: ServerMetadata
        do throws(KeysMissing) {
            metadata = try ReadMetadata.live(of: issuer, timeoutMilliseconds: timeoutMilliseconds)
        } catch {
            // A login is often set up on both sides at once: what to register there does not wait for its answer.
            let registration = LoginReview.registration(of: login, settings)
            guard asJSON else {
                let clientID = settings.clients[login.client].credentials.clientID
                let locations = IssuerRequests(settings: issuer).metadataLocations
                return "NOT KNOWN  \(issuer.url) did not say what it offers: \(error.reason)\n"
                    + "           asked: \(locations.joined(separator: ", "))\n"
                    + "           issuers.\(issuer.name).url has to be, letter by letter, the issuer of the server's metadata\n"
                    + LoginReview.section(LoginReview.registrationTitle(clientID), registration)
            }
            var writer = JSONWriter()
            writer.beginObject()
            for (name, value) in [("verdict", "not_known"), ("issuer", issuer.url), ("reason", error.reason)] {
                writer.name(name)
                writer.string(value)
            }
            writer.put("register", registration)
            writer.endObject()
            return writer.text
        }
        guard let review = LoginReview(of: name, settings, metadata: metadata) else { return "" }
        return asJSON ? String(decoding: review.json, as: UTF8.self) : review.text
    }
}

/// An issuer's word on a token, asked now as the gateway asks.
package enum AskAboutToken {
    /// What the issuer at this place says of the token; nil when no answer came in time.
    package static func live(
        _ index: Int, _ token: [UInt8], _ digest: SHA256Digest, settings: GatewaySettings, timeoutMilliseconds: Int
    ) -> IntrospectionAnswer? {
        guard let loop = try? EventLoop() else { return nil }
        let timer = LoopTimer(loop: loop) { loop.stop() }
        timer.arm(milliseconds: timeoutMilliseconds)
        let fetching = CurlFetcher(loop: loop)
        let clock = LoopClock(loop: loop)
        let directory = IssuerDirectory(
            settings: settings.issuers, fetching: fetching, clock: clock, executor: loop,
            listeners: IssuerDirectory.Listeners(
                onChange: { issuer, _ in if issuer == index { loop.stop() } }, onRefreshEnded: { _ in },
                onEvent: { issuer, event in if issuer == index, case .refreshFailed = event { loop.stop() } }))
        let found = Mutex<IntrospectionAnswer?>(nil)
        let service = IntrospectionService(
            settings: settings.issuers, clients: settings.clients,
            environment: LookupEnvironment(fetching: fetching, clock: clock, executor: loop),
            sources: IntrospectionService.Sources(directory),
            onAnswer: { answer in
                found.withLock { $0 = answer }
                loop.stop()
            }, onEvent: { _, _ in })
        // Metadata first, which says where to ask; a service without it tries what is configured.
        directory.start()
        loop.run()
        service.ask(issuer: index, token: token, digest: digest, worker: 0)
        loop.run()
        timer.cancel()
        return found.withLock { $0 }
    }
}

/// What a running gateway remembers of a request, by one of its names.
package enum AskGateway {
    /// The explanation of the request that is called `id`, as the admin listener gives it; throws a sentence when there is none.
    package static func explanation(
        of id: String, _ settings: GatewaySettings, asJSON: Bool, timeoutMilliseconds: Int
    ) throws(RequestDraft.Problem) -> String {
        guard (1...128).contains(id.utf8.count), id.utf8.allSatisfy(RequestID.mayContain) else {
            throw RequestDraft.Problem(
                text: "--request-id wants an X-Request-Id, or the decision_id or trace_id of a log line")
        }
        guard let loop = try? EventLoop() else { throw RequestDraft.Problem(text: "a loop could not be made") }
        let address = settings.admin.address
        let isAny = address.host == "0.0.0.0" || address.host == "::"
        let name = isAny ? "127.0.0.1" : address.host
        let host = name.contains(":") ? "[\(name)]" : name
        // Digits of ours in capitals are the same id; a proxy's may be another one then.
        let isOurs = id.utf8.count == 32 && id.allSatisfy(\.isHexDigit)
        let page = "http://\(host):\(address.port)/explain/"
        var request = FetchRequest(
            url: page + (isOurs ? id.lowercased() : id) + (asJSON ? ".json" : ""), maximumBytes: 1 << 20,
            timeoutMilliseconds: timeoutMilliseconds)
        request.insecureAllowHTTP = true
        request.allowLoopbackAndPrivateHost = name
        let fetching = CurlFetcher(loop: loop)
        let answer = Mutex<Result<FetchResponse, FetchRefusal>?>(nil)
        Task(executorPreference: loop) { [request] in
            do throws(FetchRefusal) {
                let response = try await fetching.fetch(request)
                answer.withLock { $0 = .success(response) }
            } catch {
                answer.withLock { $0 = .failure(error) }
            }
            loop.stop()
        }
        loop.run()
        switch answer.withLock({ $0 }) {
        case .success(let response) where response.status == 200: return String(decoding: response.body, as: UTF8.self)
        case .success(let response):
            throw RequestDraft.Problem(
                text: "the gateway says \(response.status): "
                    + ShownText.plain(String(decoding: response.body.filter { $0 != 0x0A }, as: UTF8.self)))
        case .failure(let refusal):
            throw RequestDraft.Problem(text: "\(page) could not be asked: \(CauseWords.of(refusal))")
        case nil: throw RequestDraft.Problem(text: "\(page) was not asked")
        }
    }

    /// The exit status that an explanation of either form stands for, by its first word.
    package static func exitStatus(of explanation: String) -> Int32 {
        for (beginning, status) in [("REFUSED", 3), ("SENT TO LOG IN", 3), ("UNSUITABLE", 3), ("NOT KNOWN", 1)]
            as [(String, Int32)]
        where explanation.hasPrefix(beginning) { return status }
        for word in ["refused", "unsuitable"] where explanation.hasPrefix("{\"verdict\":\"\(word)\"") { return 3 }
        return explanation.hasPrefix("{\"verdict\":\"not_known\"") ? 1 : 0
    }
}

/// Why there are no keys, in words.
package struct KeysMissing: Error, Sendable {
    package let reason: String

    package init(reason: String) { self.reason = reason }
}
