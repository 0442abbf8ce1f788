import Login
import TestTraits
import Testing

@Suite struct `nonces of servers` {
    private let one = "https://as.example/token", other = "https://as.example/par?x"

    @Test(.holds("DPOP-41")) func `are one for a server, the newest`() {
        let nonces = ServerNonces()
        #expect(nonces.newest(for: one) == nil)
        nonces.keep("a", from: one)
        #expect(nonces.newest(for: other) == "a")
        nonces.keep("b", from: "https://AS.example:443/revoke")
        #expect(nonces.newest(for: one) == "b")
        nonces.keep(nil, from: one)
        #expect(nonces.newest(for: one) == "b")
    }

    @Test(
        .holds("DPOP-41"), .refuses("DPOP-41"),
        arguments: [
            "https://as.example:8443/token", "http://as.example/token", "https://rs.example/token",
            "https://as.example.evil.example/token", "https://user@as.example/token", "as.example", "",
        ])
    func `are for no other server`(url: String) {
        let nonces = ServerNonces()
        nonces.keep("a", from: one)
        #expect(nonces.newest(for: url) == nil)
        nonces.keep("evil", from: url)
        #expect(nonces.newest(for: one) == "a")
    }

    @Test(.refuses("DPOP-41")) func `of a resource are none of the authorization server at the same place`() {
        let nonces = ServerNonces()
        nonces.keep("a", from: one)
        #expect(nonces.newest(for: one, of: .resourceServer) == nil)
        nonces.keep("r", from: one, as: .resourceServer)
        #expect(nonces.newest(for: one) == "a")
        #expect(nonces.newest(for: one, of: .resourceServer) == "r")
    }

    @Test(.holds("DPOP-41")) func `are of so many servers at most, the first forgotten first`() {
        let nonces = ServerNonces(limit: 3)
        for round in 0..<10 { nonces.keep("n\(round)", from: "https://s\(round).example/") }
        let kept = (0..<10).filter { nonces.newest(for: "https://s\($0).example/") != nil }
        #expect(kept == [7, 8, 9])
        nonces.keep("x", from: "https://s8.example/")
        #expect(nonces.newest(for: "https://s7.example/") == "n7")
    }

    @Test(.holds("DPOP-41")) func `are kept and read from many threads`() async {
        let nonces = ServerNonces(limit: 4)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<500 {
                        nonces.keep("\(task)", from: "https://s\((task + round) % 6).example/")
                        _ = nonces.newest(for: "https://s\(round % 6).example/")
                    }
                }
            }
        }
        #expect((0..<6).count { nonces.newest(for: "https://s\($0).example/") != nil } == 4)
    }
}
