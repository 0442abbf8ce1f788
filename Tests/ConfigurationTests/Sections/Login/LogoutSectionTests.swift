import TestTraits
import Testing

@Suite struct `logouts that do not load, or with a warning` {
    @Test(.refuses("LO-10")) func `endings that a restart forgets before the cookies do are warned of`() throws {
        #expect(
            try warnings(
                of: Sample.login(
                    """
                    session: { keys: [{ file: hex.session }] }
                    logout: { backchannel: true }
                    """))
                    == """
                    gateway.yaml:10:15: warning: clients.shop.logout.backchannel: expected endings that last as long as cookies do, found store: cookie with keys of its own
                        a session that the server ended is alive again after a restart, and on other replicas: with store: memory it is not
                    """)
    }

    @Test(.refuses("LO-02")) func `another origin to land at is refused`() {
        #expect(
            refusal(of: Sample.login("logout: { landing: https://evil.example }"))
                == """
                gateway.yaml:9:24: clients.shop.logout.landing: expected a path of this origin such as /, found "https://evil.example"
                    begin it with one / : the browser stays on this origin
                """)
    }

    @Test(.refuses("CF-09")) func `another host to land at is refused, without a scheme too`() {
        #expect(
            refusal(of: Sample.login("logout: { landing: //evil.example }"))
                == """
                gateway.yaml:9:24: clients.shop.logout.landing: expected a path of this origin such as /, found "//evil.example"
                    begin it with one / : the browser stays on this origin
                """)
    }

    @Test func `a path of the gateway's own to land at is refused`() {
        #expect(
            refusal(of: Sample.login("logout: { landing: /.portcullis/login/shop }"))
                == """
                gateway.yaml:9:24: clients.shop.logout.landing: expected a path of this origin such as /, found "/.portcullis/login/shop"
                    paths below /.portcullis/ belong to the gateway itself
                """)
    }

    @Test func `a hint for no logout at the server is refused`() {
        #expect(
            refusal(of: Sample.login("logout: { at_server: false, post_hint: true }"))
                == """
                gateway.yaml:9:33: clients.shop.logout.post_hint: expected at_server: true beside post_hint, found none
                    add  at_server: true , or leave post_hint out
                """)
    }

    @Test(.refuses("LO-07")) func `rules for logout tokens that nothing takes are refused`() {
        #expect(
            refusal(of: Sample.login("logout: { require_type: true }"))
                == """
                gateway.yaml:9:15: clients.shop.logout.require_type: expected backchannel: true beside require_type, found none
                    add  backchannel: true , or leave require_type out
                """)
    }
}
