import RESP
import TestTraits
import Testing

@Suite struct `an error of a server` {
    private func refusal(_ text: String) -> ServerRefusal { ServerRefusal(Array(text.utf8).span) }

    @Test(
        .holds("SH-17"),
        arguments: [
            ("MOVED 3999 127.0.0.1:6381", ServerRefusal.Code.moved), ("ASK 3999 127.0.0.1:6381", .ask),
            ("TRYAGAIN Multiple keys request during rehashing of slot", .tryAgain),
            ("CLUSTERDOWN The cluster is down", .clusterDown),
            ("NOSCRIPT No matching script. Please use EVAL.", .noScript),
            ("LOADING Redis is loading the dataset in memory", .loading),
            ("READONLY You can't write against a read only replica.", .readOnly),
            ("MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", .masterDown),
            ("BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.", .busy),
        ])
    func `that says the command was not executed lets it be sent again`(text: String, code: ServerRefusal.Code) {
        #expect(refusal(text).code == code)
        #expect(refusal(text).isNotExecuted)
        #expect(refusal(text).maySendAgain)
    }

    @Test(
        .refuses("SH-17"),
        arguments: [
            ("OOM command not allowed when used memory > 'maxmemory'.", ServerRefusal.Code.outOfMemory, true),
            ("WRONGTYPE Operation against a key holding the wrong kind of value", .wrongType, true),
            ("NOAUTH Authentication required.", .notAuthenticated, true),
            ("WRONGPASS invalid username-password pair or user is disabled.", .wrongPassword, true),
            (
                "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?",
                .wrongPassword, true
            ),
            ("NOPERM this user has no permissions to run the 'keys' command", .noPermission, true),
            ("NOREPLICAS Not enough good replicas to write.", .noReplicas, true),
            ("MISCONF Redis is configured to save RDB snapshots", .misconfigured, true),
            ("CROSSSLOT Keys in request don't hash to the same slot", .crossSlot, true),
            ("DENIED Redis is running in protected mode", .denied, true),
            ("ERR max number of clients reached", .tooManyClients, true),
            ("ERR value is not an integer or out of range", .other, false), ("ERR", .other, false), ("", .other, false),
            ("MOVEDX 1 a:1", .other, false), ("moved 1 a:1", .other, false), ("max number of clients", .other, false),
            // Raised in a script, which may have written before.
            ("READONLY You can't write against a read only replica. script: 6a2, on @user_script:3.", .readOnly, false),
            (
                "NOPERM The user executing the script can't run this command or subcommand script: 6a2", .noPermission,
                false
            ),
            ("ERR Error running script (call to f_6a2): @user_script:1: x", .other, false),
        ])
    func `of any other kind does not`(text: String, code: ServerRefusal.Code, isNotExecuted: Bool) {
        #expect(refusal(text).code == code)
        #expect(refusal(text).isNotExecuted == isNotExecuted)
        #expect(!refusal(text).maySendAgain)
    }

    @Test(
        arguments: [
            ("MOVED 3999 127.0.0.1:6381", 3999, "127.0.0.1", 6381),
            ("ASK 0 store-2.internal:1", 0, "store-2.internal", 1),
            ("MOVED 16383 ::1:65535", 16383, "::1", 65535), ("MOVED 1 :6379", 1, "", 6379),
        ] as [(String, Int, String, UInt16)])
    func `that redirects names a slot and a node`(text: String, slot: Int, host: String, port: UInt16) {
        let bytes = Array(text.utf8)
        guard let found = Redirection(bytes.span) else {
            Issue.record("\(text)")
            return
        }
        #expect(found.slot == slot)
        #expect(String(decoding: found.host.indices.map { found.host[$0] }, as: UTF8.self) == host)
        #expect(found.port == port)
    }

    @Test(arguments: [
        "MOVED", "MOVED ", "MOVED 1", "MOVED 1 ", "MOVED 1 a", "MOVED 16384 a:1", "MOVED -1 a:1", "MOVED x a:1",
        "MOVED 1 a:0", "MOVED 1 a:65536", "MOVED 1 a:x", "MOVED 1 a:", "MOVED 1 a b:1", "MOVED 1 a\u{0}:1",
        "MOVED 1 a/b:1", "MOVED 1 u@h:1", "TRYAGAIN 1 a:1", "ASK 01 a:1", "",
    ])
    func `that redirects nowhere is none`(text: String) {
        let bytes = Array(text.utf8)
        if Redirection(bytes.span) != nil { Issue.record("\(text)") }
    }

    @Test(.holds("SH-52"), .refuses("SH-52")) func `is shown by eighty characters that print`() {
        let text = Array("ERR unknown\r\n\u{7F}\u{0}".utf8) + [UInt8](repeating: 0x41, count: 200)
        let shown = ServerText.printable(text.span)
        #expect(shown == "ERR unknown????" + String(repeating: "A", count: 65))
        #expect(ServerText.printable(Array("OK".utf8).span) == "OK")
    }
}
