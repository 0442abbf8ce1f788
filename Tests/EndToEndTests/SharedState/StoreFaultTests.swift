import Foundation
import TestSupport
import TestTraits
import Testing

@testable import StoreClientTests

/// Rows SH-74 to SH-84 over real sockets: what a store does to gateways, and what they make of it.
@Suite(.serialized, .byEachProtocol) struct `gateways whose store is in trouble` {
    enum Trouble: CaseIterable {
        /// All connections are ended again and again; nothing is answered for a while, by an operator's word, by a debugger's,
        /// or by a script that somebody runs; the server is no primary for a while.
        case killedConnections, pause, sleep, script, replica
    }

    private static let session = "session: { store: shared, keys: [{ file: $FOLDER/session.key }] }"

    /// Begins it, and ends it on a thread of its own; whether it is over.
    private static func begin(_ trouble: Trouble, _ store: StoreServer) throws -> Watched<Bool> {
        let isOver = Watched(false)
        func meanwhile(_ body: @escaping @Sendable () throws -> Void) -> Watched<Bool> {
            Thread.detachNewThread {
                try? body()
                isOver.withLock { $0 = true }
            }
            return isOver
        }
        switch trouble {
        case .killedConnections:
            return meanwhile {
                for _ in 0..<300 {
                    try store.ask("CLIENT", "KILL", "TYPE", "normal")
                    dawdle(for: .milliseconds(5))
                }
            }
        case .pause:
            try store.ask("CLIENT", "PAUSE", "1500", "ALL")
            return meanwhile { try store.ask("PING") }
        case .sleep: return meanwhile { try store.ask("DEBUG", "SLEEP", "1.5") }
        case .script:
            return meanwhile { try store.ask("EVAL", "local i = 0 while i < 2e8 do i = i + 1 end return i", "0") }
        case .replica:
            try store.ask("REPLICAOF", "127.0.0.1", "1")
            return meanwhile {
                dawdle(for: .milliseconds(1500))
                try store.ask("REPLICAOF", "NO", "ONE")
            }
        }
    }

    @Test(.holds("SH-78", "SH-75"), .refuses("SH-78", "SH-21"), arguments: Trouble.allCases)
    func `answer 503 about sessions, and neither take one away nor send anybody to log in`(trouble: Trouble) throws {
        let store = try StoreServer()
        let stage = try SessionStage(
            LoginPlan(
                routes: ["{ path: /app/, upstream: $UPSTREAM, login: web, upstream_credential: pass }"],
                client: [Self.session], workers: 2, settings: Fleet.settings(store, "recheck: 0s"), files: Fleet.keys))
        let gateways = [stage.gateway, try stage.another(), try stage.another()]
        let browser = try stage.login()
        func ask(_ gateway: GatewayProcess) throws -> WireResponse {
            try gateway.exchange(request("GET", "/app/a", fields: browser.lines + navigation))
        }
        for gateway in gateways {
            #expect(eventually { (try? ask(gateway))?.status == 200 }, "\(gateway.diagnosis)")
        }
        let isOver = try Self.begin(trouble, store)
        var statuses: [Int: Int] = [:]
        let deadline = Deadline.patient
        while !isOver.now, !deadline.hasPassed {
            for gateway in gateways {
                let answer = try ask(gateway)
                statuses[answer.status, default: 0] += 1
                #expect(answer.fields["set-cookie"].isEmpty, "\(answer.headText)")
                guard answer.status != 200 else { continue }
                #expect(answer.status == 503 && answer.fields.only("retry-after") == "1", "\(answer.headText)")
            }
        }
        #expect(Set(statuses.keys).isSubset(of: [200, 503]), "\(statuses)")
        // What was read from a replica that lost its primary is right; all others cannot have said anything.
        if trouble != .replica { #expect(statuses[503, default: 0] > 0, "\(statuses)") }
        for gateway in gateways {
            #expect(eventually { (try? ask(gateway))?.status == 200 }, "\(gateway.diagnosis)")
        }
    }

    @Test(.refuses("SH-78", "SH-58", "SH-74"), arguments: Trouble.allCases)
    func `answer 503 about proofs, let none pass twice, and blame no client`(trouble: Trouble) throws {
        let store = try StoreServer()
        let route = """
            { path: /bound/, upstream: $UPSTREAM, token: { issuers: [main], schemes: [DPoP, Bearer], \
            audience: "\(TokenForge.audience)" }, identity: { X-User: sub } }
            """
        let stage = try Stage(
            StagePlan(
                routes: [route], settings: Fleet.settings(store, "shares: [proofs]"), files: Fleet.keys, workers: 2))
        let gateways = [stage.gateway, try stage.another()]
        func send(_ fields: [String], _ gateway: GatewayProcess) throws -> WireResponse {
            try gateway.exchange(request("GET", "/bound/a", fields: fields))
        }
        func passes(_ gateway: GatewayProcess) -> Bool {
            eventually { (try? send(ProofCall().fields(stage), gateway))?.status == 200 }
        }
        for gateway in gateways { #expect(passes(gateway)) }
        let isOver = try Self.begin(trouble, store)
        var sent: [(fields: [String], gateway: Int, status: Int)] = []
        let deadline = Deadline.patient
        while !isOver.now, !deadline.hasPassed {
            let (gateway, fields) = (sent.count % 2, ProofCall().fields(stage))
            let answer = try send(fields, gateways[gateway])
            sent.append((fields, gateway, answer.status))
            guard answer.status != 200 else { continue }
            #expect(answer.status == 503 && answer.fields.only("retry-after") == "1", "\(answer.headText)")
            #expect(answer.fields["www-authenticate"].isEmpty)
        }
        #expect(sent.contains { $0.status == 503 })
        for gateway in gateways { #expect(passes(gateway), "\(gateway.diagnosis)") }
        var passed = 0
        for one in sent.suffix(200) {
            // One of its workers may still be on its way to the store.
            var again = 503
            _ = try eventually {
                again = try send(one.fields, gateways[1 - one.gateway]).status
                return again != 503
            }
            // One that the store never heard of passes now: it had not passed before.
            passed += one.status == 200 && again == 200 ? 1 : 0
            #expect([200, 401].contains(again))
            #expect(try send(one.fields, gateways[one.gateway]).status == 401)
        }
        #expect(passed == 0)
    }

    @Test(.holds("SH-84"), .refuses("SH-84"))
    func `serve by the connections that they have, where the store takes no more`() throws {
        let store = try StoreServer("--maxclients", "20")
        let stage = try SessionStage(
            LoginPlan(
                routes: ["{ path: /app/, upstream: $UPSTREAM, login: web, upstream_credential: pass }"],
                client: [Self.session], workers: 8, settings: Fleet.settings(store, "recheck: 0s, " + Fleet.patiently),
                files: Fleet.keys))
        // 8 and one for the log, three times.
        let gateways = [stage.gateway, try stage.another(), try stage.another()]
        let browser = try stage.login()
        var isServed: [Bool] = []
        for gateway in gateways {
            // Those that have no connection at all wait for one, and say so.
            let isIn = (try? gateway.admin("/metrics"))?.bodyText.contains("portcullis_store_in_flight") ?? false
            var statuses: [Int: Int] = [:]
            for _ in 0..<48 {
                let answer = try gateway.exchange(request("GET", "/app/a", fields: browser.lines + navigation))
                statuses[answer.status, default: 0] += 1
                #expect(answer.fields["set-cookie"].isEmpty)
            }
            #expect(Set(statuses.keys).isSubset(of: [200, 503]) && isIn, "\(statuses)")
            isServed.append(statuses == [200: 48])
        }
        // The first two have 18 of 20, and the last what is left: whoever has one serves with all its workers.
        #expect(isServed == [true, true, true], "\(isServed) \(gateways[2].diagnosis)")
        let refused = gateways.contains { $0.operatorLine(within: .zero) { $0["event"] == "store_lost" } != nil }
        #expect(refused)
    }

    @Test(.refuses("SH-05")) func `say why they do not use a server that proves another name`() throws {
        let files = try StoreClientTests.CertificateFiles()
        let node = try RedisNode(certificate: files.words("other.internal"))
        let authority = try String(contentsOfFile: files.authorityFile, encoding: .utf8)
        let settings = """
            store: { url: "rediss://127.0.0.1:\(node.port)", keys: [{ file: $FOLDER/store.key }], \
            tls: { certificate_authority: $FOLDER/authority.pem }, shares: [proofs] }
            """
        let route = """
            { path: /bound/, upstream: $UPSTREAM, token: { issuers: [main], schemes: [DPoP, Bearer], \
            audience: "\(TokenForge.audience)" } }
            """
        let stage = try Stage(
            StagePlan(
                routes: [route], settings: settings,
                files: Fleet.keys.merging(["authority.pem": authority]) { $1 }, milestone: .listening))
        let line = try #require(stage.gateway.operatorLine { $0["event"] == "store_lost" })
        #expect(line["reason"] == "tls" && line["address"] == "127.0.0.1:\(node.port)", "\(line)")
        #expect(line["found"]?.contains("address") == true || line["found"]?.contains("name") == true, "\(line)")
        let answer = try stage.exchange("GET", "/bound/a", fields: ProofCall().fields(stage))
        #expect(answer.status == 503, "\(answer.headText)")
        #expect(try node.calls("set") == 0)
    }
}
