import Systemd
import TestTraits
import Testing

@Suite struct `sockets that are handed over` {
    private func all(
        _ count: String?, pid: String? = "77", names: String? = nil
    ) throws(ServiceEnvironmentFault) -> [HandedOverSocket] {
        var environment = ServiceEnvironment()
        environment.listenDescriptors = count
        environment.listenPID = pid
        environment.listenNames = names
        return try HandedOverSocket.all(in: environment, ownPID: 77)
    }

    @Test(.holds("ECO-42")) func `have numbers from 3 on and the names that they are given`() throws {
        let sockets = try all("2", names: "web:admin")
        #expect(sockets.map(\.name) == ["web", "admin"])
        #expect(sockets.map(\.descriptor) == [3, 4])
        #expect(try all("2").map(\.name) == ["unknown", "unknown"])
        #expect(try all("1", names: "").map(\.name) == [""])
    }

    @Test(.holds("ECO-42")) func `are none where nobody hands any over, or to another process`() throws {
        #expect(try all(nil) == [])
        #expect(try all("0") == [])
        #expect(try all("2", pid: nil) == [])
        #expect(try all("2", pid: "78") == [])
        #expect(try all("nonsense", pid: "78") == [])
    }

    @Test(
        .refuses("ECO-42"),
        arguments: [
            ("two", "77", nil), ("-1", "77", nil), ("1025", "77", nil), ("18446744073709551616", "77", nil),
            ("1", "me", nil), ("2", "77", "web"), ("1", "77", "web:admin"), ("2", "77", "web:admin:"),
        ] as [(String, String, String?)])
    func `are not counted by a number that is none, nor named by too few or too many names`(
        count: String, pid: String, names: String?
    ) {
        #expect(throws: ServiceEnvironmentFault.self) { try all(count, pid: pid, names: names) }
    }

    private func match(_ sockets: [String], _ listeners: [String?]) -> (places: [String?], problems: [HandOverProblem])
    {
        let sockets = sockets.enumerated().map { HandedOverSocket(name: $1, descriptor: Int32(3 + $0)) }
        let (places, problems) = HandedOverSocket.match(sockets, to: listeners, optional: ["admin"])
        return (places.map { $0?.name }, problems)
    }

    @Test(.holds("ECO-42")) func `go to the listeners that are called like them`() {
        #expect(match(["api", "web"], ["web", "api", "admin"]).places == ["web", "api", nil])
        #expect(match(["api", "web"], ["web", "api", "admin"]).problems == [])
        #expect(match(["admin", "web"], ["web", nil, "admin"]).places == ["web", nil, "admin"])
        #expect(match(["admin", "web"], ["web", nil, "admin"]).problems == [])
        #expect(match([], ["web", "admin"]).places == [nil, nil], "each opens its own")
        #expect(match([], ["web", "admin"]).problems == [])
    }

    @Test(.refuses("ECO-42")) func `are neither more nor fewer than the listeners that have names`() {
        #expect(
            match(["web", "old"], ["web", "admin"]).problems == [.surplus("old", listeners: ["web", "admin"])])
        #expect(match(["web"], ["web", "api", "admin"]).problems == [.missing("api", sockets: ["web"])])
        #expect(match(["web", "web"], ["web", "admin"]).problems == [.twice("web")])
        #expect(
            match(["unknown"], ["web", "admin"]).problems
                == [.surplus("unknown", listeners: ["web", "admin"]), .missing("web", sockets: ["unknown"])])
    }

    @Test(.refuses("ECO-42")) func `are named in each problem, and no name breaks its line`() {
        let problems: [HandOverProblem] = [
            .surplus("a\nb", listeners: ["web"]), .missing("a\nb", sockets: ["c\nd"]), .twice("a\nb"),
            .unfit("a\nb", descriptor: 4, found: "no socket"),
        ]
        for problem in problems {
            #expect(problem.description.contains("\"a b\""))
            #expect(!problem.description.contains("\n") && !problem.remedy.contains("\n"))
        }
        #expect(
            HandOverProblem.unfit("web", descriptor: 3, found: "no socket").description
                == "expected the socket \"web\" (descriptor 3) to listen for streams, found no socket")
    }
}
