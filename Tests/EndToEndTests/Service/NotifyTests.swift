import Foundation
import TestSupport
import TestTraits
import Testing

/// Row ECO-41: what the gateway tells the service manager that started it, played by the test.
@Suite struct `the service manager hears` {
    private static func plan(_ manager: DatagramReceiver, watchdog: Int? = nil) -> StagePlan {
        var plan = StagePlan(workers: 2)
        plan.environment = ["NOTIFY_SOCKET": manager.address]
        if let watchdog { plan.environment["WATCHDOG_USEC"] = "\(watchdog)" }
        return plan
    }

    /// The first words of all that was heard, without signs of life.
    private static func words(_ datagrams: [String]) -> [Substring] {
        datagrams.filter { $0 != "WATCHDOG=1\n" }.compactMap { $0.split(separator: "=").first }
    }

    private static func monotonicMicroseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }

    private func value(_ name: String, in datagram: String) -> Substring? {
        datagram.split(separator: "\n").first { $0.hasPrefix(name + "=") }?.dropFirst(name.count + 1)
    }

    @Test(.holds("ECO-41"), arguments: [false, true])
    func `that it is ready, reads its configuration again, and stops, in this order`(isAbstract: Bool) throws {
        let manager = try DatagramReceiver(isAbstract: isAbstract)
        manager.start()
        let stage = try Stage(Self.plan(manager))
        #expect(manager.datagrams.wait { $0.count == 1 })
        #expect(manager.datagrams.now == ["READY=1\nSTATUS=Serving by configuration 1.\n"])

        let before = Self.monotonicMicroseconds()
        try stage.reload()
        #expect(manager.datagrams.wait { $0.count == 3 })
        let after = Self.monotonicMicroseconds()
        let heard = manager.datagrams.now
        #expect(heard[1].hasPrefix("RELOADING=1\n"))
        let time = UInt64(value("MONOTONIC_USEC", in: heard[1]) ?? "") ?? 0
        #expect((before...after).contains(time), "when the signal was there, and not before")
        #expect(heard[2] == "READY=1\nSTATUS=Serving by configuration 2.\n")

        stage.gateway.terminate()
        #expect(stage.gateway.process.waitForEnd() == .exited(0))
        #expect(manager.datagrams.wait { $0.count == 4 })
        #expect(Self.words(manager.datagrams.now) == ["READY", "RELOADING", "READY", "STOPPING"])
        // Its 30 s for requests, 5 s for revocations and 5 s for itself.
        #expect(value("EXTEND_TIMEOUT_USEC", in: manager.datagrams.now[3]) == "40000000")
        #expect(!stage.gateway.operatorLog.contains { $0["event"] == "notify_failed" })
    }

    @Test(.holds("ECO-41")) func `that it is ready while an issuer says nothing yet`() throws {
        let manager = try DatagramReceiver(isAbstract: false)
        manager.start()
        let gate = Gate()
        defer { gate.open() }
        var plan = Self.plan(manager)
        plan.prepare = { $0.answer(ScriptedIssuer.openIDPath, with: WireScript(.wait(gate), .close)) }
        plan.milestone = .listening
        let stage = try Stage(plan)
        #expect(manager.datagrams.wait { !$0.isEmpty })
        #expect(try stage.gateway.status("/readyz") == 503, "keys are awaited, and clients are served")
        #expect(try stage.exchange("GET", "/open/a").status == 200)
    }

    @Test(.refuses("ECO-41")) func `of a configuration that is refused, and that the gateway is ready all the same`()
        throws
    {
        let manager = try DatagramReceiver(isAbstract: true)
        manager.start()
        let stage = try Stage(Self.plan(manager))
        try stage.rewrite("listeners: []\n")
        stage.gateway.process.signal(SIGHUP)
        #expect(manager.datagrams.wait { $0.count == 3 })
        #expect(Self.words(manager.datagrams.now) == ["READY", "RELOADING", "READY"])
        let status = value("STATUS", in: manager.datagrams.now[2]) ?? ""
        #expect(status.hasPrefix("Serving by configuration 1. The newest was refused: "), "\(status)")
        #expect(status.contains("gateway.yaml:1"), "\(status)")
    }

    @Test(.holds("ECO-41")) func `signs of life where it wants any`() throws {
        let manager = try DatagramReceiver(isAbstract: false)
        manager.start()
        let stage = try Stage(Self.plan(manager, watchdog: 20_000))
        #expect(manager.datagrams.wait { $0.count { $0 == "WATCHDOG=1\n" } >= 10 })
        #expect(manager.datagrams.now.first?.hasPrefix("READY=1\n") == true)
        #expect(try stage.exchange("GET", "/open/a").status == 200)
    }

    @Test(.refuses("ECO-41")) func `no sign of life that it wants of another process`() throws {
        let manager = try DatagramReceiver(isAbstract: false)
        manager.start()
        var plan = Self.plan(manager, watchdog: 2000)
        plan.environment["WATCHDOG_PID"] = "1"
        let stage = try Stage(plan)
        for number in 1...3 { try stage.reload(times: number) }
        stage.gateway.terminate()
        #expect(stage.gateway.process.waitForEnd() == .exited(0))
        #expect(manager.datagrams.wait { $0.last?.hasPrefix("STOPPING=1\n") == true })
        #expect(!manager.datagrams.now.contains("WATCHDOG=1\n"))
    }

    @Test(.refuses("ECO-41")) func `everything later where it has no room at the moment, and clients wait for nothing`()
        throws
    {
        let manager = try DatagramReceiver(isAbstract: false)
        try manager.fill()
        let stage = try Stage(Self.plan(manager))
        try stage.reload()
        #expect(try stage.exchange("GET", "/open/a").status == 200)
        manager.start()
        func heard(_ datagrams: [String]) -> [Substring] { Self.words(datagrams.filter { $0 != "full" }) }
        #expect(manager.datagrams.wait { heard($0).count == 3 })
        #expect(heard(manager.datagrams.now) == ["READY", "RELOADING", "READY"])
        #expect(!stage.gateway.operatorLog.contains { $0["event"] == "notify_failed" })
    }

    @Test(
        .refuses("ECO-41"),
        arguments: [
            ("/nonexistent/notify", nil, "sendto: No such file or directory"),
            ("@portcullis-tests/nobody", nil, "sendto: Connection refused"),
            ("vsock:2:1", nil, "expected NOTIFY_SOCKET to be the path"),
            ("/nonexistent/notify", "soon", "expected WATCHDOG_USEC to be a number of microseconds above 0"),
        ] as [(String, String?, String)])
    func `nothing where it cannot be reached, which is one line of the log and nothing else`(
        address: String, watchdog: String?, reason: String
    ) throws {
        var plan = StagePlan()
        plan.environment = ["NOTIFY_SOCKET": address]
        if let watchdog { plan.environment["WATCHDOG_USEC"] = watchdog }
        let stage = try Stage(plan)
        try stage.reload()
        #expect(try stage.exchange("GET", "/open/a").status == 200)
        stage.gateway.terminate()
        #expect(stage.gateway.process.waitForEnd() == .exited(0))
        let lines = stage.gateway.operatorLog.filter { $0["event"] == "notify_failed" }
        #expect(lines.count == 1)
        #expect(lines.first?["level"] == "warning")
        #expect(lines.first?["reason"]?.hasPrefix(reason) == true, "\(lines)")
    }
}
