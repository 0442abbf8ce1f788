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
                    the [ on line 1, column 9 is not closed before this place: look there, and for commas and quotation marks behind it
                """)
    }

    @Test(arguments: ["workers: \"2\nlog: x\n", "workers: '2\nlog: x", "workers: \"2\n# a comment\n---\n"])
    func `a quotation mark without its other one is told where it opens`(text: String) {
        #expect(
            refusal(of: text)
                == #"""
                gateway.yaml:1:10: expected YAML, found a quotation mark that is not closed
                    close the text that begins here; a mark within it is written twice in '…', and \" in "…"
                """#)
    }

    @Test func `a bracket without its other one is told where it opens`() {
        #expect(
            refusal(of: "routes:\n  - methods: [GET, POST\n    path: /\n  - path: /a\n")
                == """
                gateway.yaml:3:9: expected YAML, found a syntax error: did not find expected ',' or ']'
                    the [ on line 2, column 14 is not closed before this place: look there, and for commas and quotation marks behind it
                """)
    }

    @Test(arguments: ["%APP%", "@x", "`x`"])
    func `a text that begins with a sign of YAML's is told what it wants`(text: String) {
        #expect(
            refusal(of: "workers: \(text)\n")
                == """
                gateway.yaml:1:10: expected YAML, found a text that begins with \(text.prefix(1))
                    put it in quotation marks
                """)
    }

    @Test func `a space that is none is called by its name, on the line where it stands`() {
        #expect(
            refusal(of: "admin:\n  address: 127.0.0.1:9901\n\u{A0} workers: 1\n  log: x\n")
                == """
                gateway.yaml:3:1: expected YAML, found a no-break space (U+00A0), which looks like a space and is none
                    type a space in its place
                """)
        // In a text, and in a comment, it is a letter like any other.
        #expect(!refusal(of: "a: 'x\u{A0}y'  # \u{A0}z\nb: [\n").contains("U+00A0"))
    }

    @Test func `Latin-1 is told to be no UTF-8`() {
        #expect(
            refusal(of: Array("# f".utf8) + [0xFC] + Array("r\nworkers: 2\n".utf8))
                == """
                gateway.yaml:1:4: expected a text in UTF-8, found a byte 0xFC of another encoding, such as Latin-1
                    save it as UTF-8
                """)
    }

    @Test func `a tab as indentation is refused`() {
        #expect(
            refusal(of: "listeners:\n\t- address: 1\n")
                == """
                gateway.yaml:2:1: expected YAML, found a tab
                    indent with spaces: YAML knows no tabs
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
                gateway.yaml:1:10: expected a text in UTF-8, found a byte 0xFF of another encoding, such as Latin-1
                    save it as UTF-8
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
                    keys here: workers, listeners, admin, issuers, clients, routes, pages, limits, timeouts, log, token_cache, dpop, assertion_keys, via, explain_buffer
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
