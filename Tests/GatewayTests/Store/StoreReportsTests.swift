import Crypto
import RESP
import Refusals
import SharedState
import StoreClient
import StoreLink
import Synchronization
import Telemetry
import TestTraits
import Testing

@testable import Gateway

/// What operators are told of the servers of a store.
@Suite struct `reports of a store` {
    private static func place(_ port: UInt16) -> LinkServer.Place { .address(host: "127.0.0.1", port: port) }

    private final class Lines: Sendable {
        private let text = Mutex("")

        func count(_ part: String) -> Int { text.withLock { $0.ranges(of: part).count } }

        var log: OperatorLog {
            OperatorLog(level: .debug) { line in
                let bytes = String(decoding: line.bytes, as: UTF8.self)
                self.text.withLock { $0 += bytes + "\n" }
            }
        }
    }

    private let lines = Lines()
    /// Who signs in by the settings of these.
    private static func user(_ name: String? = nil, _ password: String? = nil) -> StoreUser {
        var settings = StoreSettings()
        settings.user = name
        settings.password = password.map { Secret(Array($0.utf8)) }
        return StoreServers(settings, tls: nil).user
    }

    private func reports() -> StoreReports {
        StoreReports(lines.log, MetricsRegistry.forStore().storeMetrics, workers: 1)
    }

    @Test(.refuses("SH-87")) func `are a few dozen a minute of servers that a server names, however many it names`() {
        let reports = reports()
        reports.name([Self.place(1)])
        for port in 2000..<5000 as Range<UInt16> {
            reports.told(.lost(Self.place(port), .unreachable("refused"), as: Self.user()))
            reports.told(.unsuitable(Self.place(port), setting: "store.insecure_allow_plain", found: "x"))
        }
        #expect(lines.count("store_lost") == 32)
        #expect(lines.count("store_unsuitable") == 32)
        reports.told(.lost(Self.place(1), .closed, as: Self.user()))
        #expect(lines.count("127.0.0.1:1\"") == 1, "those of the settings are told of all the same")
        reports.told(.lost(Self.place(1), .closed, as: Self.user()))
        #expect(lines.count("127.0.0.1:1\"") == 1, "once a minute")
    }

    @Test(.holds("SH-10")) func `say once that the server may not be asked what it says of itself`() throws {
        let reports = reports()
        let ring = try StoreKeyRing([Secret([UInt8](repeating: 1, count: 32))])
        reports.watch(
            EpochWatch(
                StoreNames(prefix: "pc", ring: ring), past: .seconds(60), future: .seconds(5), failover: .accept))
        let settings = StoreSettings()
        reports.noteInformation(settings, place: Self.place(1))
        #expect(lines.count("store_unsuitable") == 0, "nobody has asked so far")
        for port in 1...3 as ClosedRange<UInt16> {
            let now = WatchTime.now
            let asked = reports.epoch { $0.connected(at: now, word: [UInt8](repeating: 7, count: 16)) } ?? []
            let question = try #require(asked.first { $0.question.arguments.contains(Array("INFO".utf8)) })
            let refusal = StoreReply.error(Array("NOPERM this user has no permissions to run the 'info' command".utf8))
            reports.epoch { $0.answered(question.number, refusal, at: now) }
            reports.noteInformation(settings, place: Self.place(port))
        }
        #expect(lines.count("store_unsuitable") == 1 && lines.count("without +info") == 1)
    }

    @Test(.holds("SH-87")) func `name the reason that is found out after the connections end, and the setting`() {
        let reports = reports()
        for _ in 0..<5 {
            reports.told(.lost(Self.place(1), .closed, as: Self.user()))
            reports.told(.lost(Self.place(1), .authenticationRefused(.wrongPassword), as: Self.user()))
        }
        #expect(lines.count("store_lost") == 2)
        #expect(lines.count("\"setting\":\"store.password\"") == 1)
        #expect(lines.count("a user that is off") == 1)
    }

    @Test(
        .holds("SH-87"),
        arguments: [("NOAUTH Authentication required.", "store.password"), ("WRONGTYPE Operation", "store.prefix")])
    func `name the setting that a running store's refusal is about`(words: String, setting: String) {
        let bytes = Array(words.utf8)
        reports().refused(
            ServerRefusal(bytes.span), bytes.span, .proof, Self.place(1), .init(name: "SET", user: Self.user()))
        #expect(lines.count("\"setting\":\"\(setting)\"") == 1)
    }

    private static func links(_ servers: (UInt16, Bool)...) -> StoreReports.Links {
        StoreReports.Links(states: servers.map { (place: place($0.0), isUp: $0.1) })
    }

    @Test(.holds("SH-11")) func `say since when the store is down, from the first moment on and as long as it is`() {
        let reports = StoreReports(lines.log, MetricsRegistry.forStore().storeMetrics, workers: 2)
        #expect(reports.reach == nil, "there is no store")
        reports.publish(Self.links((1, true)), worker: 0, at: 100)
        reports.publish(Self.links((1, true)), worker: 1, at: 100)
        #expect(reports.reach?.state == .up && reports.reach?.downSince == nil)
        reports.publish(Self.links((1, false)), worker: 0, at: 200)
        #expect(reports.reach?.state == .partly && reports.reach?.downSince == nil, "the other worker reaches it")
        for second in 201..<300 as Range<Int64> {
            reports.publish(Self.links((1, false)), worker: 1, at: second)
            reports.publish(Self.links((1, false)), worker: 0, at: second)
            #expect(reports.reach?.state == .down && reports.reach?.downSince == 201)
        }
        reports.publish(Self.links((1, true)), worker: 1, at: 300)
        #expect(reports.reach?.state == .partly && reports.reach?.downSince == nil)
        reports.publish(Self.links((1, true)), worker: 0, at: 301)
        #expect(reports.reach?.state == .up && reports.reach?.lost == [])
        reports.publish(Self.links((1, false)), worker: 0, at: 400)
        reports.publish(nil, worker: 1, at: 401)
        #expect(reports.reach?.downSince == 401, "another outage has a moment of its own")
        reports.publish(nil, worker: 0, at: 402)
        #expect(reports.reach == nil)
    }

    @Test(.holds("SH-11")) func `say of each server of a cluster since when it is lost`() {
        let reports = reports()
        reports.publish(Self.links((1, true), (2, false), (3, true)), worker: 0, at: 10)
        reports.publish(Self.links((1, true), (2, false), (3, false)), worker: 0, at: 20)
        #expect(reports.reach?.state == .partly)
        #expect(
            reports.reach?.lost == [
                StoreReach.LostServer(place: Self.place(2), since: 10),
                StoreReach.LostServer(place: Self.place(3), since: 20),
            ])
        // Another primary is another server: the store is down for as long as none is there.
        reports.publish(Self.links((1, false)), worker: 0, at: 30)
        reports.publish(Self.links((4, false)), worker: 0, at: 40)
        #expect(reports.reach?.state == .down && reports.reach?.downSince == 30)
        #expect(reports.reach?.lost == [StoreReach.LostServer(place: Self.place(4), since: 40)])
    }

    @Test(
        .holds("SH-83"), .refuses("SH-83"),
        arguments: [
            LinkLoss.authenticationRefused(.wrongPassword), .authenticationRefused(.notAuthenticated),
            .greetingRefused(command: "GET", .noPermission, text: "NOPERM this user has no permissions"),
        ])
    func `name who is not let in, and never by which password`(loss: LinkLoss) {
        let reports = reports()
        for (name, said) in [(nil, "default"), ("portcullis", "portcullis"), ("other", "other")] {
            reports.told(.lost(Self.place(1), loss, as: Self.user(name, "hunter2")))
            #expect(lines.count("\"user\":\"\(said)\"") == 1)
        }
        // Without a password nobody signs in.
        reports.told(.lost(Self.place(2), loss, as: Self.user("portcullis")))
        #expect(lines.count("\"user\":\"default\"") == 2)
        #expect(lines.count("store_lost") == 4 && lines.count("hunter2") == 0)
        if case .greetingRefused = loss {
            #expect(lines.count("\"command\":\"GET\"") == 4 && lines.count("\"setting\":\"store.user\"") == 4)
        } else {
            #expect(lines.count("\"setting\":\"store.password\"") == 4)
        }
        reports.told(.lost(Self.place(1), .closed, as: Self.user("portcullis", "hunter2")))
        #expect(lines.count("\"user\"") == 4, "of an outage nobody is to blame")
    }

    @Test(
        .holds("SH-83"), .refuses("SH-83"),
        arguments: [
            ("NOPERM this user has no permissions to run the 'set' command", "store.user"),
            ("NOPERM this user has no permissions to access one of the keys used as arguments", "store.prefix"),
            ("NOPERM No permissions to access a key", "store.prefix"),
            ("NOAUTH Authentication required.", "store.password"),
            ("ERR The user executing the script can't run this command or subcommand", "store.user"),
            ("ERR The user executing the script can't access at least one of the keys mentioned", "store.prefix"),
            ("ERR ACL failure in script: User portcullis has no permissions to run the 'hset' command", "store.user"),
            ("ERR ACL failure in script: No permissions to access a key", "store.prefix"),
        ])
    func `name whose command a running store refuses, and which one it was`(words: String, setting: String) {
        let bytes = Array(words.utf8)
        let reports = reports()
        for name in ["portcullis", "portcullis", "other"] {
            reports.refused(
                ServerRefusal(bytes.span), bytes.span, .session, Self.place(1),
                .init(name: "EVALSHA", user: Self.user(name, "hunter2")))
        }
        #expect(lines.count("\"user\":\"portcullis\",\"command\":\"EVALSHA\"") == 1)
        #expect(lines.count("\"user\":\"other\",\"command\":\"EVALSHA\"") == 1)
        #expect(lines.count("\"setting\":\"\(setting)\"") == 2 && lines.count("hunter2") == 0)
    }

    @Test func `name nobody where a store is full`() {
        let bytes = Array("OOM command not allowed".utf8)
        reports().refused(
            ServerRefusal(bytes.span), bytes.span, .session, Self.place(1),
            .init(name: "SET", user: Self.user("portcullis", "x")))
        #expect(lines.count("\"user\"") == 0 && lines.count("maxmemory") == 1)
    }

    @Test(.refuses("SH-40")) func `name the key that cannot be read as the log of endings, once a minute`() {
        let reports = reports()
        for _ in 0..<5 { reports.noteLog("pc:e", at: Self.place(1), unusable: "what is none") }
        #expect(lines.count("\"setting\":\"pc:e\"") == 1)
    }
}

extension MetricsRegistry {
    fileprivate static func forStore() -> MetricsRegistry {
        MetricsRegistry(
            workers: 1,
            labels: MetricsLabels(
                routes: [],
                causes: Refusal.allCases.map { RefusalLabel(cause: "\($0.word)", blame: $0.blame.rawValue) },
                algorithms: [], issuers: [], logins: []), version: "")
    }
}
