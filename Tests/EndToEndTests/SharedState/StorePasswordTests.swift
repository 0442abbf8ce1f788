import Foundation
import TestSupport
import TestTraits
import Testing

/// Rows SH-12 and SH-83 over real sockets: the password in the gateways' file is one that the store does not take.
@Suite(.serialized) struct `gateways with another password than their store's` {
    private static let wrong = "not-the-password-4471"
    /// How many attempts of one worker last longer than the five seconds that connections which are new have.
    ///
    /// It tries again after 1.5 s at the earliest.
    private static let attempts = 5

    private static func store() throws -> StoreServer {
        let store = try StoreServer()
        try store.ask("ACL", "SETUSER", "portcullis", "on", ">first", "~*", "&*", "+@all")
        return store
    }

    private static func settings(_ store: StoreServer, _ further: String) -> String {
        Fleet.settings(store, "user: portcullis, password: { file: $FOLDER/store.password }, " + further)
    }

    private static let files = Fleet.keys.merging(["store.password": "first"]) { $1 }

    /// The line that says so of this gateway, which names the key to change and what goes on, and no password.
    private func expectTold(_ gateway: GatewayProcess, at location: SourceLocation = #_sourceLocation) throws {
        let line = try #require(
            gateway.operatorLine { $0["event"] == "store_lost" && $0["reason"] == "authentication" },
            "\(gateway.diagnosis)", sourceLocation: location)
        #expect(line["setting"] == "store.password" && line["user"] == "portcullis", sourceLocation: location)
        #expect(line["detail"]?.contains("serve on") == true, "\(line)", sourceLocation: location)
        #expect(!gateway.diagnosis.contains(Self.wrong), sourceLocation: location)
    }

    private func isUp(_ gateway: GatewayProcess) -> Bool {
        (try? gateway.admin("/readyz"))?.bodyText.contains("\"store\":\"up\"") == true
    }

    private func sessions(_ store: StoreServer, recheck: String) throws -> SessionStage {
        try SessionStage(
            LoginPlan(
                routes: ["{ path: /app/, upstream: $UPSTREAM, login: web, upstream_credential: pass }"],
                client: ["session: { store: shared, keys: [{ file: $FOLDER/session.key }] }"],
                settings: Self.settings(store, "recheck: \(recheck), " + Fleet.patiently), files: Self.files))
    }

    private func ask(_ gateway: GatewayProcess, _ browser: CookieJar) throws -> WireResponse {
        try gateway.exchange(request("GET", "/app/a", fields: browser.lines + navigation))
    }

    /// How it is put right: the store takes the new password too, or the file has the one of before.
    enum Remedy: CaseIterable {
        case store, file
    }

    @Test(.holds("SH-12", "SH-83"), .refuses("SH-12", "SH-83"), arguments: Remedy.allCases)
    func `serve sessions by the connections of before, and go over once it is put right`(remedy: Remedy) throws {
        let store = try Self.store()
        let stage = try sessions(store, recheck: "0s")
        let gateway = stage.gateway
        let browser = try stage.login()
        #expect(try ask(gateway, browser).status == 200)
        // The worker's, and that of the log, which has one at a time.
        #expect(try eventually { try store.connections() == 2 })
        try gateway.setStorePassword(Self.wrong)
        try expectTold(gateway)
        let deadline = Deadline.patient
        while try store.refusedLogins() < Self.attempts, !deadline.hasPassed {
            let answer = try ask(gateway, browser)
            #expect(answer.status == 200, "\(answer.headText)\(gateway.diagnosis)")
            #expect(try ask(gateway, try stage.login()).status == 200)
        }
        #expect(try store.refusedLogins() >= Self.attempts)
        #expect(isUp(gateway))
        switch remedy {
        case .store: try store.ask("ACL", "SETUSER", "portcullis", ">" + Self.wrong)
        case .file: try gateway.setStorePassword("first")
        }
        var most = 0
        func areNew() throws -> Bool {
            #expect(try ask(gateway, browser).status == 200)
            let count = try store.connections()
            most = max(most, count)
            return most >= 3 && count == 2
        }
        #expect(try eventually { try areNew() }, "\(most) connections\n\(gateway.diagnosis)")
        if remedy == .store { try store.ask("ACL", "SETUSER", "portcullis", "<first") }
        #expect(try ask(gateway, browser).status == 200)
        #expect(try ask(gateway, try stage.login()).status == 200)
    }

    @Test(.holds("SH-12", "SH-83"), .refuses("SH-12", "SH-83"))
    func `never say the password of before again once the new one serves`() throws {
        let store = try Self.store()
        try store.ask("ACL", "SETUSER", "portcullis", ">second")
        let stage = try sessions(store, recheck: "0s")
        let gateway = stage.gateway
        let browser = try stage.login()
        // The worker's, and that of the log.
        #expect(try eventually { try store.connections() == 2 })
        let before = try store.connectionNumbers()
        try gateway.setStorePassword("second")
        // The log is read by a new connection when the worker asks by one; its own of before is left open for a while.
        let hasGoneOver = try eventually {
            let now = try store.connectionNumbers()
            return now.subtracting(before).count == 2 && now.intersection(before).count <= 1
        }
        #expect(hasGoneOver, "\(gateway.diagnosis)")
        try store.ask("ACL", "SETUSER", "portcullis", "<first")
        for _ in 0..<3 {
            let gone = try store.connectionNumbers()
            try store.ask("CLIENT", "KILL", "USER", "portcullis")
            let isBack = try eventually {
                let now = try store.connectionNumbers()
                let status = try ask(gateway, browser).status
                return now.count == 2 && now.isDisjoint(with: gone) && status == 200
            }
            #expect(isBack, "\(gateway.diagnosis)")
        }
        #expect(try store.refusedLogins() == 0, "\(gateway.diagnosis)")
        let line = try #require(gateway.operatorLine { $0["event"] == "store_lost" }, "\(gateway.diagnosis)")
        #expect(["closed", "broken"].contains(line["reason"]))
        #expect(gateway.operatorLog.allSatisfy { $0["reason"] != "authentication" }, "\(gateway.diagnosis)")
    }

    @Test(.holds("SH-12", "SH-39"), .refuses("SH-12"))
    func `hear of logouts elsewhere by the connection of before`() throws {
        let store = try Self.store()
        // Asked about again so seldom, the session would be served for a minute more.
        let stage = try sessions(store, recheck: "60s")
        let there = try stage.another()
        try there.setStorePassword(Self.wrong)
        try expectTold(there)
        #expect(try eventually { try store.refusedLogins() >= Self.attempts })
        let browser = try stage.login()
        #expect(try ask(there, browser).status == 200)
        let began = ContinuousClock.now
        let answer = try stage.exchange("POST", "/.portcullis/logout/web", browser: browser, fields: ownPage)
        #expect((200..<400).contains(answer.status), "\(answer.headText)")
        #expect(try eventually { try ask(there, browser).status == 303 }, "\(there.diagnosis)")
        #expect(ContinuousClock.now - began < .seconds(30))
    }

    @Test(.holds("SH-12", "SH-83"), .refuses("SH-12", "SH-83", "SH-21"))
    func `have no store once those connections end, and blame nobody for it`() throws {
        let store = try Self.store()
        let stage = try sessions(store, recheck: "0s")
        let gateway = stage.gateway
        let browser = try stage.login()
        try gateway.setStorePassword(Self.wrong)
        try expectTold(gateway)
        #expect(try ask(gateway, browser).status == 200)
        try store.ask("CLIENT", "KILL", "USER", "portcullis")
        var statuses: Set<Int> = []
        func isDown() throws -> Bool {
            let answer = try ask(gateway, browser)
            #expect(answer.fields["set-cookie"].isEmpty && [200, 503].contains(answer.status), "\(answer.headText)")
            statuses.insert(answer.status)
            return answer.status == 503
        }
        #expect(try eventually { try isDown() }, "\(statuses)\(gateway.diagnosis)")
        // The store takes the password of before; no configuration has that any more.
        statuses = []
        let refused = try store.refusedLogins()
        #expect(try eventually { try isDown() && store.refusedLogins() >= refused + 2 })
        #expect(statuses == [503])
        #expect(try eventually { try gateway.admin("/readyz").bodyText.contains("\"store_down_since\":\"") })
        let isToldAgain = eventually {
            gateway.operatorLog.contains { $0["reason"] == "authentication" && $0["detail"] == nil }
        }
        #expect(isToldAgain, "\(gateway.diagnosis)")
        try gateway.setStorePassword("first")
        #expect(try eventually { try ask(gateway, browser).status == 200 }, "\(gateway.diagnosis)")
    }

    @Test(.holds("SH-12", "SH-55"), .refuses("SH-12", "SH-55"))
    func `let each proof pass once at all of them meanwhile`() throws {
        let store = try Self.store()
        let route = """
            { path: /bound/, upstream: $UPSTREAM, token: { issuers: [main], schemes: [DPoP, Bearer], \
            audience: "\(TokenForge.audience)" }, identity: { X-User: sub } }
            """
        let stage = try Stage(
            StagePlan(
                routes: [route], settings: Self.settings(store, "shares: [proofs], " + Fleet.patiently),
                files: Self.files, workers: 2))
        let gateways = [stage.gateway, try stage.another()]
        func send(_ fields: [String], _ gateway: GatewayProcess) throws -> Int {
            try gateway.exchange(request("GET", "/bound/a", fields: fields)).status
        }
        for gateway in gateways {
            #expect(eventually { (try? send(ProofCall().fields(stage), gateway)) == 200 })
        }
        let early = ProofCall().fields(stage)
        #expect(try send(early, gateways[0]) == 200)
        try gateways[1].setStorePassword(Self.wrong)
        try expectTold(gateways[1])
        let deadline = Deadline.patient
        var number = 0
        // By two workers.
        while try store.refusedLogins() < 2 * Self.attempts, !deadline.hasPassed {
            number += 1
            let fields = ProofCall().fields(stage)
            #expect(try send(fields, gateways[number % 2]) == 200, "\(gateways[number % 2].diagnosis)")
            #expect(try send(fields, gateways[1 - number % 2]) == 401)
            #expect(try send(fields, gateways[number % 2]) == 401)
        }
        #expect(try store.refusedLogins() >= 2 * Self.attempts)
        #expect(try send(early, gateways[1]) == 401)
        let late = ProofCall().fields(stage)
        #expect(try send(late, gateways[0]) == 200)
        try store.ask("ACL", "SETUSER", "portcullis", ">" + Self.wrong, "<first")
        // They have gone over when those of before are gone, and know what they knew.
        try gateways[0].setStorePassword(Self.wrong)
        #expect(try eventually { try store.connections() == 4 && gateways.allSatisfy(isUp) })
        for gateway in gateways {
            #expect(try send(early, gateway) == 401)
            #expect(try send(late, gateway) == 401)
            #expect(try send(ProofCall().fields(stage), gateway) == 200)
        }
    }
}

extension GatewayProcess {
    /// Puts another password of the store into the place of its file, which the gateway reads by itself.
    fileprivate func setStorePassword(_ word: String) throws {
        let (place, unfinished) = (folder + "/store.password", folder + "/store.password.new")
        let isWritten = FileManager.default.createFile(
            atPath: unfinished, contents: Data(word.utf8), attributes: [.posixPermissions: 0o600])
        guard isWritten, rename(unfinished, place) == 0 else { throw WireFailure.system("rename", errno) }
    }
}
