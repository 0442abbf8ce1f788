import Crypto
import RESP
import StoreLink
import TestTraits
import Testing

@Suite struct `the greeting of a link` {
    private static func select() -> Command {
        var command = Command("SELECT")
        command.append(3)
        return command
    }

    private static let greeting = Greeting(
        credentials: Greeting.Credentials(user: "portcullis", password: Secret(Array("hunter2".utf8))),
        steps: [
            Greeting.Step(select(), .success), Greeting.Step(Command("ROLE"), .primary),
            Greeting.Step(Command("INFO"), .anything),
        ])

    private func opened(_ greeting: Greeting = greeting) -> DrivenMachine {
        var driven = DrivenMachine(greeting)
        driven.open()
        driven.write()
        return driven
    }

    private static let primary = "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n"

    @Test(.holds("SH-19")) func `is one write, and opens the link when all of it was answered`() {
        var driven = DrivenMachine(Self.greeting)
        driven.open()
        #expect(
            driven.write()
                == "*3\r\n$4\r\nAUTH\r\n$10\r\nportcullis\r\n$7\r\nhunter2\r\n*2\r\n$6\r\nSELECT\r\n$1\r\n3\r\n"
                + "*1\r\n$4\r\nROLE\r\n*1\r\n$4\r\nINFO\r\n")
        #expect(driven.machine.counters.writes == 1)
        #expect(driven.machine.phase == .greeting)
        #expect(driven.send(1) == .down)
        #expect(driven.receive("+OK\r\n+OK\r\n") == [.nobodys(count: 5), .greeted(step: 0, count: 5)])
        #expect(driven.receive(Self.primary) == [.greeted(step: 1, count: 24)])
        #expect(driven.machine.phase == .greeting)
        let denied = "-NOPERM this user has no permissions to run the 'info' command\r\n"
        #expect(driven.receive(denied) == [.greeted(step: 2, count: denied.utf8.count)])
        #expect(driven.machine.phase == .ready)
        #expect(driven.send(1) == .accepted)
    }

    @Test func `has no user where it has none`() {
        var driven = DrivenMachine(
            Greeting(credentials: Greeting.Credentials(user: nil, password: Secret(Array("p".utf8)))))
        driven.open()
        #expect(driven.write() == "*2\r\n$4\r\nAUTH\r\n$1\r\np\r\n")
    }

    @Test(
        .holds("SH-83"), .refuses("SH-83"),
        arguments: [
            ("-WRONGPASS invalid username-password pair or user is disabled.\r\n", ServerRefusal.Code.wrongPassword),
            ("-NOAUTH Authentication required.\r\n", .notAuthenticated),
            ("-ERR AUTH <password> called without any password configured\r\n", .wrongPassword),
            ("-ERR max number of clients reached\r\n", .tooManyClients),
        ])
    func `that is not let in is over`(answer: String, code: ServerRefusal.Code) {
        var driven = opened()
        let received = driven.receive(answer)
        #expect(received == [.broken(.authenticationRefused(code))])
    }

    @Test(.refuses("SH-83")) func `without a password that one is wanted of is over`() {
        var driven = opened(Greeting(steps: [Greeting.Step(Command("INFO"), .anything)]))
        #expect(
            driven.receive("-NOAUTH Authentication required.\r\n") == [
                .broken(.authenticationRefused(.notAuthenticated))
            ])
    }

    @Test func `is over where a step is refused, in the server's words`() {
        var driven = opened()
        let received = driven.receive("+OK\r\n-ERR DB index is out of range\r\n")
        #expect(
            received.last
                == .broken(
                    .greetingRefused(command: "SELECT", .other, text: "ERR DB index is out of range")))
    }

    /// A server of a cluster that was started without its data serves two seconds later, and may be asked about proofs then.
    @Test(
        .refuses("SH-61"),
        arguments: [
            ("-CLUSTERDOWN The cluster is down\r\n", false), ("-LOADING Redis is loading the dataset\r\n", false),
            ("-CLUSTERDOWN Hash slot not served\r\n", true), ("-MOVED 3999 127.0.0.1:6381\r\n", true),
            ("$-1\r\n", true),
        ])
    func `waits for a server that does not know yet whether it has a key`(answer: String, isOpen: Bool) {
        var driven = opened(Greeting(steps: [Greeting.Step(Command("GET"), .anythingSettled)]))
        _ = driven.receive(answer)
        #expect((driven.machine.phase == .ready) == isOpen)
    }

    @Test(arguments: [
        "*5\r\n$5\r\nslave\r\n$9\r\n127.0.0.1\r\n:6379\r\n$9\r\nconnected\r\n:0\r\n", "*0\r\n", "+OK\r\n",
        "*1\r\n:1\r\n",
    ])
    func `is over at a server that is no primary`(role: String) {
        var driven = opened()
        #expect(driven.receive("+OK\r\n+OK\r\n" + role).last == .broken(.notPrimary))
    }

    @Test(.refuses("SH-80"), arguments: ["$-1\r\n", ":1\r\n", "$2\r\nOK\r\n", "*0\r\n"])
    func `is over at an answer that signing in cannot have`(answer: String) {
        var driven = opened()
        guard case .broken(.unasked)? = driven.receive(answer).last else {
            Issue.record("it goes on")
            return
        }
        driven = opened()
        guard case .broken(.unasked)? = driven.receive("+OK\r\n" + answer).last else {
            Issue.record("it goes on behind SELECT")
            return
        }
    }

    @Test(.refuses("SH-52")) func `tells nobody its password, whatever the server repeats`() {
        var driven = opened()
        let answer = "-ERR unknown command 'AUTH', with args beginning with: 'portcullis' 'hunter2'\r\n"
        guard case .broken(let loss)? = driven.receive(answer).last else {
            Issue.record("it goes on")
            return
        }
        var dumped = ""
        dump(Self.greeting, to: &dumped)
        for shown in ["\(loss)", loss.found, "\(Self.greeting)", dumped] {
            #expect(!shown.contains("hunter2") && !shown.contains("104"), "\(shown)")
        }
        #expect(loss.found == "user or password refused (ERR)")
    }
}
