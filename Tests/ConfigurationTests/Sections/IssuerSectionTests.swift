import TestTraits
import Testing

@Suite struct `an issuer that does not load` {
    @Test(.refuses("MD-01")) func `an http issuer is refused`() {
        #expect(
            refusal(of: Sample(issuers: "issuers: { main: { url: http://id.example.com/ } }").text)
                == """
                gateway.yaml:2:25: issuers.main.url: expected an https issuer URL, found "http://id.example.com/"
                    use https; plain HTTP is possible on loopback only
                """)
    }

    @Test(.refuses("MD-01")) func `an issuer with a query is refused`() {
        #expect(
            refusal(of: Sample(issuers: "issuers: { main: { url: 'https://id.example.com/?tenant=1' } }").text)
                == """
                gateway.yaml:2:25: issuers.main.url: expected an issuer URL without query and fragment, found "https://id.example.com/?tenant=1"
                    write the identifier exactly as the server's metadata spells it (RFC 8414 section 2)
                """)
    }

    @Test(.refuses("MD-01")) func `an issuer with a fragment is refused`() {
        #expect(
            refusal(of: Sample(issuers: "issuers: { main: { url: 'https://id.example.com/#x' } }").text)
                == """
                gateway.yaml:2:25: issuers.main.url: expected an issuer URL without query and fragment, found "https://id.example.com/#x"
                    write the identifier exactly as the server's metadata spells it (RFC 8414 section 2)
                """)
    }

    @Test(.refuses("MD-01")) func `an issuer that is no URL is refused`() {
        #expect(
            refusal(of: Sample(issuers: "issuers: { main: { url: id.example.com } }").text)
                == """
                gateway.yaml:2:25: issuers.main.url: expected an issuer URL such as https://id.example.com/, found "id.example.com"
                    write the identifier exactly as the server's metadata spells it
                """)
    }

    @Test func `an issuer without a URL is refused`() {
        #expect(
            refusal(of: Sample(issuers: "issuers: { main: { leeway: 30s } }").text)
                == """
                gateway.yaml:2:18: issuers.main.url: expected an issuer URL such as https://id.example.com/, found nothing
                    add  url: https://id.example.com/
                """)
    }

    @Test func `an http issuer on loopback asks for the dangerous word`() {
        #expect(
            refusal(of: Sample(issuers: "issuers: { main: { url: http://127.0.0.1:4593/ } }").text)
                == """
                gateway.yaml:2:25: issuers.main.url: expected an https issuer URL, found "http://127.0.0.1:4593/"
                    for development on loopback add  insecure_allow_http: true
                """)
    }

    @Test func `the dangerous word is refused away from loopback`() {
        #expect(
            refusal(
                of: Sample(issuers: "issuers: { main: { url: http://id.example.com/, insecure_allow_http: true } }")
                    .text)
                    == """
                    gateway.yaml:2:49: issuers.main.insecure_allow_http: expected an issuer on loopback, found "http://id.example.com/"
                        leave insecure_allow_http out: it is for development on one machine
                    """)
    }

    @Test(.refuses("OIDC-14")) func `an issuer with braces is refused`() {
        #expect(
            refusal(of: Sample(issuers: "issuers: { main: { url: 'https://login.example.com/{tenantid}/v2.0' } }").text)
                == """
                gateway.yaml:2:25: issuers.main.url: expected the issuer URL of one tenant, found "https://login.example.com/{tenantid}/v2.0"
                    write the tenant's own identifier: a template would believe every tenant of this server
                """)
    }

    @Test(.refuses("OIDC-14"), arguments: ["common", "organizations", "consumers"])
    func `every tenant of Microsoft's at once is no issuer`(tenants: String) {
        let url = "https://login.microsoftonline.com/\(tenants)/v2.0"
        #expect(
            refusal(of: Sample(issuers: "issuers: { main: { url: '\(url)' } }").text)
                == """
                gateway.yaml:2:25: issuers.main.url: expected the issuer URL of one tenant, found "\(url)"
                    write the tenant's id in place of \(tenants): tokens name a tenant in their iss, and never \(tenants), so none would be taken
                """)
    }

    @Test func `two issuers of one URL are refused`() {
        #expect(
            refusal(
                of: Sample(
                    issuers:
                        "issuers: { main: { url: https://id.example.com/ }, other: { url: https://id.example.com/ } }"
                ).text)
                    == """
                    gateway.yaml:2:52: warning: issuers.other: expected a route that names the issuer, found none
                        its keys are fetched all the same; leave it out, or name it in a route's token.issuers
                    gateway.yaml:2:66: issuers.other.url: expected a URL of its own for each issuer, found "https://id.example.com/", which is also the URL of main
                        merge the two, or correct one of the URLs
                    """)
    }

    @Test func `an issuer's name in capitals is refused`() {
        #expect(
            refusal(
                of: Sample(
                    issuers: "issuers: { Main: { url: https://id.example.com/ } }",
                    routes:
                        "routes: [{ path: /, upstream: http://127.0.0.1:3000, token: { issuers: [main], audience: api } }]"
                ).text)
                    == """
                    gateway.yaml:2:12: issuers.Main: expected a name of an issuer made of lower-case letters, digits, - and _, found "Main"
                        choose a name such as main
                    gateway.yaml:3:73: routes[0].token.issuers[0]: expected the name of an issuer, found "main"
                        did you mean Main?
                    """)
    }

    @Test func `a list of issuers is refused`() {
        #expect(
            refusal(of: Sample(issuers: "issuers: [{ url: https://id.example.com/ }]").text)
                == """
                gateway.yaml:2:10: issuers: expected a mapping of names to issuers, found a list
                    write it as  issuers: { main: { url: https://id.example.com/ } }
                """)
    }

    @Test func `no discovery without a place of the keys is refused`() {
        #expect(
            refusal(of: Sample.issuer("discovery: none"))
                == """
                gateway.yaml:2:50: issuers.main.discovery: expected jwks_uri or jwks when nothing is discovered, found neither
                    add  jwks_uri: https://id.example.com/jwks.json
                """)
    }

    @Test func `two sources of keys are refused`() {
        #expect(
            refusal(of: Sample.issuer("jwks: { file: jwks.json }, jwks_uri: https://id.example.com/jwks"))
                == """
                gateway.yaml:2:77: issuers.main.jwks_uri: expected at most one of jwks and jwks_uri, found both
                    keep jwks for keys that never change, jwks_uri for keys that rotate
                """)
    }

    @Test func `keys over plain HTTP are refused`() {
        #expect(
            refusal(of: Sample.issuer("jwks_uri: http://id.example.com/jwks"))
                == """
                gateway.yaml:2:60: issuers.main.jwks_uri: expected an https URL, found "http://id.example.com/jwks"
                    whoever can change the keys on their way can sign every token
                """)
    }

    @Test func `a misspelt way of discovery is refused`() {
        #expect(
            refusal(of: Sample.issuer("discovery: automatik"))
                == """
                gateway.yaml:2:61: issuers.main.discovery: expected one of automatic, openid, oauth, none, found "automatik"
                    did you mean automatic?
                """)
    }

    @Test func `keys in a file that is not there are refused`() {
        #expect(
            refusal(of: Sample.issuer("jwks: { file: gone.json }"))
                == """
                gateway.yaml:2:64: issuers.main.jwks.file: expected a readable file with a JWK Set, found "gone.json": no such file
                    it was looked for at "gone.json"; paths are absolute, or relative to this file's folder
                """)
    }

    @Test func `a file that is no key set is refused`() {
        #expect(
            refusal(of: Sample.issuer("jwks: { file: tls.crt }"))
                == """
                gateway.yaml:2:64: issuers.main.jwks.file: expected a JWK Set with at least one usable key, found no strict JSON (invalidNumber)
                    give the document that the issuer publishes as its jwks_uri (RFC 7517)
                """)
    }

    @Test func `a key set without a usable key is refused`() {
        #expect(
            refusal(of: Sample.issuer("jwks: { file: empty.json }"))
                == """
                gateway.yaml:2:64: issuers.main.jwks.file: expected a JWK Set with at least one usable key, found no key
                    give the document that the issuer publishes as its jwks_uri (RFC 7517)
                """)
    }
}
