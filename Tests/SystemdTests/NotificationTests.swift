import Systemd
import TestTraits
import Testing

@Suite struct `a notification` {
    @Test(.holds("ECO-41")) func `is the lines that the manager reads`() {
        #expect(ServiceNotification.ready("Serving.").text == "READY=1\nSTATUS=Serving.\n")
        #expect(
            ServiceNotification.reloading(atMonotonic: 12_345_678, "Reading.").text
                == "RELOADING=1\nMONOTONIC_USEC=12345678\nSTATUS=Reading.\n")
        #expect(
            ServiceNotification.stopping(within: 40_000_000, "Ending.").text
                == "STOPPING=1\nEXTEND_TIMEOUT_USEC=40000000\nSTATUS=Ending.\n")
        #expect(ServiceNotification.alive.text == "WATCHDOG=1\n")
    }

    @Test(.refuses("ECO-41"), arguments: ["\n", "\r\n", "\0", "\u{1B}", "\u{85}", "\u{7F}"])
    func `has no assignment that its status smuggles in`(separator: String) {
        let lines = ServiceNotification.ready("refused:\(separator)MAINPID=1").text.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.last?.hasPrefix("STATUS=refused: ") == true)
        #expect(lines.last?.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } == true)
    }

    @Test(.refuses("ECO-41")) func `has no status without an end, nor half a letter at it`() {
        let text = ServiceNotification.ready("a" + String(repeating: "ä", count: 400)).text
        #expect(text == "READY=1\nSTATUS=a" + String(repeating: "ä", count: 255) + "\n")
    }
}

@Suite struct `the manager's address` {
    private func address(_ text: String?) throws(ServiceEnvironmentFault) -> NotifyAddress? {
        var environment = ServiceEnvironment()
        environment.notifySocket = text
        return try NotifyAddress(environment)
    }

    @Test(.holds("ECO-41")) func `is a path, or an abstract name behind an @`() throws {
        #expect(try address(nil) == nil)
        #expect(try address("/run/systemd/notify") == .path("/run/systemd/notify"))
        #expect(try address("@/org/notify") == .abstract("/org/notify"))
        let (path, name) = ("/" + String(repeating: "a", count: 106), String(repeating: "b", count: 107))
        #expect(try address(path) == .path(path))
        #expect(try address("@" + name) == .abstract(name))
    }

    @Test(
        .refuses("ECO-41"),
        arguments: [
            "", "@", "run/notify", "vsock:2:1234", "/" + String(repeating: "a", count: 107),
            "@" + String(repeating: "b", count: 108),
        ])
    func `is nothing else`(text: String) {
        #expect(throws: ServiceEnvironmentFault.self) { try address(text) }
    }

    @Test(.refuses("ECO-41")) func `is told in one line where it is none`() {
        let fault = #expect(throws: ServiceEnvironmentFault.self) { try address("run\nnotify") }
        #expect(
            fault?.description == "expected NOTIFY_SOCKET to be the path of a Unix socket, or @ and the name of an "
                + "abstract one, of at most 107 bytes, found \"run notify\"")
    }
}

@Suite struct `the watchdog's time` {
    private func time(_ microseconds: String?, pid: String? = nil) throws(ServiceEnvironmentFault) -> WatchdogTime? {
        var environment = ServiceEnvironment()
        environment.watchdogMicroseconds = microseconds
        environment.watchdogPID = pid
        return try WatchdogTime(environment, ownPID: 77)
    }

    @Test(.holds("ECO-41")) func `is halved`() throws {
        #expect(try time("30000000")?.intervalMilliseconds == 15_000)
        #expect(try time("30000000", pid: "77")?.intervalMilliseconds == 15_000)
        #expect(try time("1")?.intervalMilliseconds == 1)
        #expect(try time("18446744073709551615")?.intervalMilliseconds == 9_223_372_036_854_775)
    }

    @Test(.refuses("ECO-41")) func `is nobody's where none is set, or where it is another process's`() throws {
        #expect(try time(nil) == nil)
        #expect(try time(nil, pid: "77") == nil)
        #expect(try time("30000000", pid: "78") == nil)
    }

    @Test(.refuses("ECO-41"), arguments: ["", "0", "-1", "30s", "18446744073709551616", " 1"])
    func `is a number of microseconds`(text: String) {
        #expect(throws: ServiceEnvironmentFault.self) { try time(text) }
    }

    @Test(.refuses("ECO-41")) func `is not taken with a process that is no number`() {
        #expect(throws: ServiceEnvironmentFault.self) { try time("30000000", pid: "me") }
    }
}
