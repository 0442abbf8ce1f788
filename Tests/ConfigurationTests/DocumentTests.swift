// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite struct `a document that is not a configuration` {
    @Test func `an empty file is refused`() {
        #expect(
            refusal(of: "")
                == """
                gateway.yaml:1:1: expected a configuration, found an empty document
                    see the reference: portcullis defaults
                """)
    }

    @Test func `a file of comments alone is refused`() {
        #expect(
            refusal(of: "# nothing\n")
                == """
                gateway.yaml:2:1: expected a configuration, found an empty document
                    see the reference: portcullis defaults
                """)
    }

    @Test func `a syntax error is told with its place`() {
        #expect(
            refusal(of: "routes: [\n")
                == """
                gateway.yaml:2:1: expected YAML, found a syntax error: did not find expected node content
                    check indentation, brackets and quotation marks just before this place
                """)
    }

    @Test func `a tab as indentation is refused`() {
        #expect(
            refusal(of: "listeners:\n\t- address: 1\n")
                == """
                gateway.yaml:2:1: expected YAML, found a syntax error: found character that cannot start any token
                    check indentation, brackets and quotation marks just before this place
                """)
    }

    @Test func `a list as the whole document is refused`() {
        #expect(
            refusal(of: "- listeners\n")
                == """
                gateway.yaml:1:1: expected the configuration, found a list
                    see the reference: portcullis defaults
                """)
    }

    @Test func `an anchor is refused before anything can multiply`() {
        #expect(
            refusal(of: "a: &a [x, x]\nb: [*a, *a]\n")
                == """
                gateway.yaml:1:4: expected plain YAML, found an anchor or alias
                    write the value out; put a text that begins with & or * in quotation marks
                """)
    }

    @Test func `an alias is refused`() {
        #expect(
            refusal(of: "a: *a\n")
                == """
                gateway.yaml:1:4: expected plain YAML, found an anchor or alias
                    write the value out; put a text that begins with & or * in quotation marks
                """)
    }

    @Test func `a tag is refused`() {
        #expect(
            refusal(of: "workers: !!int 2\n")
                == """
                gateway.yaml:1:10: expected plain YAML, found a tag
                    leave it out; put a text that begins with ! in quotation marks
                """)
    }

    @Test func `a second document is refused`() {
        #expect(
            refusal(of: "workers: 2\n---\nworkers: 3\n")
                == """
                gateway.yaml:2:1: expected one YAML document, found a second one
                    keep one document in the file
                """)
    }

    @Test func `a list as a key is refused`() {
        #expect(
            refusal(of: "[a, b]: 1\n")
                == """
                gateway.yaml:1:1: expected a text as key, found a list or mapping
                    put a text that begins with { or [ in quotation marks
                """)
    }

    @Test func `nesting without end is refused`() {
        #expect(
            refusal(of: String(repeating: "[", count: 40))
                == """
                gateway.yaml:1:33: expected at most 32 levels, found deeper nesting
                    no key of the configuration lies so deep
                """)
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(
            refusal(of: [UInt8]("workers: ".utf8) + [0xFF, 0x0A])
                == """
                gateway.yaml:1:10: expected YAML, found a syntax error: invalid leading UTF-8 octet
                    check indentation, brackets and quotation marks just before this place
                """)
    }

    @Test func `a key said twice is refused where it stands again`() {
        #expect(
            refusal(
                of: Sample(
                    rest: """
                        workers: 2
                        workers: 3
                        """
                ).text)
                    == """
                    gateway.yaml:5:1: workers: expected each key once, found "workers" again
                        the first is on line 4; keep one
                    """)
    }

    @Test func `a misspelt key is refused with the word that was meant`() {
        #expect(
            refusal(of: Sample(rest: "timeout: { drain: 30s }").text)
                == """
                gateway.yaml:4:1: timeout: expected a key of the configuration, found "timeout"
                    did you mean timeouts?
                """)
    }

    @Test func `a key in capitals is a misspelt key`() {
        #expect(
            refusal(of: Sample(rest: "Workers: 2").text)
                == """
                gateway.yaml:4:1: Workers: expected a key of the configuration, found "Workers"
                    did you mean workers?
                """)
    }

    @Test func `a key of a later capability is unknown, not ignored`() {
        #expect(
            refusal(of: Sample(rest: "sessions: { idle: 30m }").text)
                == """
                gateway.yaml:4:1: sessions: expected a key of the configuration, found "sessions"
                    keys here: workers, listeners, admin, issuers, clients, routes, limits, timeouts, log, token_cache, dpop, assertion_keys, via, explain_buffer
                """)
    }

    @Test func `an unknown key says where it belongs when it has a home`() {
        #expect(
            refusal(of: Sample.tokenRoute("scopes: [a]"))
                == """
                gateway.yaml:3:97: routes[0].scopes: expected a key of a route, found "scopes"
                    it belongs under token
                """)
    }

    @Test func `listeners and routes must be there`() {
        #expect(
            refusal(of: "workers: 2\n")
                == """
                gateway.yaml:1:1: listeners: expected a list of listeners, found nothing
                    add  listeners: [{ address: 0.0.0.0:8443, public_url: https://shop.example.com }]
                gateway.yaml:1:1: routes: expected a list of routes, found nothing
                    add  routes: [{ path: /, upstream: http://127.0.0.1:3000, public: true }]
                """)
    }

    @Test func `an empty list of listeners is refused`() {
        #expect(
            refusal(of: Sample(listeners: "listeners: []").text)
                == """
                gateway.yaml:1:12: listeners: expected a list of 1 to 64 listeners, found an empty list
                    write it as  listeners: [{ address: 0.0.0.0:8443, public_url: https://shop.example.com }]
                """)
    }

    @Test func `an empty list of routes is refused`() {
        #expect(
            refusal(of: Sample(routes: "routes: []").text)
                == """
                gateway.yaml:3:9: routes: expected a list of 1 to 10000 routes, found an empty list
                    write it as  routes: [{ path: /, upstream: http://127.0.0.1:3000, public: true }]
                """)
    }

    @Test func `a key without a value is refused`() {
        #expect(
            refusal(of: Sample(routes: "routes:").text)
                == """
                gateway.yaml:3:8: routes: expected a list of routes, found nothing
                    write it as  routes: [{ path: /, upstream: http://127.0.0.1:3000, public: true }]
                """)
    }

    @Test func `workers must be a number within bounds`() {
        #expect(
            refusal(of: Sample(rest: "workers: 0").text)
                == """
                gateway.yaml:4:10: workers: expected a whole number from 1 to 256, found the number 0
                    choose a number from 1 to 256
                """)
    }

    @Test func `a number in quotation marks is no number`() {
        #expect(
            refusal(of: Sample(rest: #"workers: "2""#).text)
                == """
                gateway.yaml:4:10: workers: expected a whole number from 1 to 256, found "2"
                    write it without quotation marks
                """)
    }

    @Test func `a fraction is no whole number`() {
        #expect(
            refusal(of: Sample(rest: "workers: 1.5").text)
                == """
                gateway.yaml:4:10: workers: expected a whole number from 1 to 256, found the number 1.5
                    write it as  workers: 2
                """)
    }

    @Test func `a number with a leading zero is two numbers to two readers`() {
        #expect(
            refusal(of: Sample(rest: "workers: 010").text)
                == """
                gateway.yaml:4:10: workers: expected a whole number from 1 to 256, found the number 010
                    write it as  workers: 2
                """)
    }

    @Test func `every problem is told at once, in the order of the text`() {
        #expect(
            refusal(
                of: Sample(
                    listeners: "listeners: [{ address: 127.0.0.1:8443, public_url: ftp://x }]",
                    issuers: "issuers: { main: { url: http://id.example.com } }",
                    routes: "routes: [{ path: api, upstream: http://127.0.0.1:3000 }]",
                    rest: """
                        workers: many
                        admin: 9901
                        """
                ).text)
                    == """
                    gateway.yaml:1:52: listeners[0].public_url: expected a URL such as https://shop.example.com, found "ftp://x"
                        write it as  https://shop.example.com
                    gateway.yaml:2:25: issuers.main.url: expected an https issuer URL, found "http://id.example.com"
                        use https; plain HTTP is possible on loopback only
                    gateway.yaml:3:10: routes[0]: expected exactly one of token, login, public, or token and login, found none of them
                        add  token: { issuers: [main], audience: https://api.example.com }  or  login: shop  or  public: true
                    gateway.yaml:3:18: routes[0].path: expected a path such as /api/orders/, found "api"
                        begin it with /
                    gateway.yaml:4:10: workers: expected a whole number from 1 to 256, found "many"
                        write it as  workers: 2
                    gateway.yaml:5:8: admin: expected the admin listener, found the number 9901
                        write it as  admin: { address: 127.0.0.1:9901 }
                    """)
    }
}
