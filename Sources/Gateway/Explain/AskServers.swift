// SPDX-License-Identifier: Apache-2.0
package import Crypto
import EventLoop
import Fetch
import HTTPMessage
package import Issuers
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
        let desk = IntrospectionDesk(
            settings: settings.issuers, clients: settings.clients, fetching: fetching, clock: clock, executor: loop,
            sources: IntrospectionDesk.Sources(directory),
            onAnswer: { answer in
                found.withLock { $0 = answer }
                loop.stop()
            }, onEvent: { _, _ in })
        // Metadata first, which says where to ask; a desk without it tries what is configured.
        directory.start()
        loop.run()
        desk.ask(issuer: index, token: token, digest: digest, worker: 0)
        loop.run()
        timer.cancel()
        return found.withLock { $0 }
    }
}

/// Why there are no keys, in words.
package struct KeysMissing: Error, Sendable {
    package let reason: String

    package init(reason: String) { self.reason = reason }
}
