import Configuration
import Testing

@Suite struct `an issuer that does not load, continued` {
    @Test func `a key set of more than 256 KiB is refused`() {
        #expect(
            refusal(of: Sample.issuer("jwks: { file: large.json }"))
                == """
                gateway.yaml:2:64: issuers.main.jwks.file: expected a JWK Set of at most 256KiB, found a larger file
                    check that this is the right file
                """)
    }

    @Test func `a key set in place of its reference is refused`() {
        #expect(
            refusal(of: Sample.issuer(#"jwks: '{"keys":[]}'"#))
                == """
                gateway.yaml:2:56: issuers.main.jwks: expected a reference to a JWK Set, found a text
                    write it as  jwks: { file: /etc/portcullis/jwks.json }
                """)
    }

    @Test func `a reference to a file and a variable at once is refused`() {
        #expect(
            refusal(of: Sample.issuer("jwks: { file: jwks.json, env: JWKS }"))
                == """
                gateway.yaml:2:75: issuers.main.jwks: expected exactly one of file, env, found file and env
                    keep one of them
                """)
    }

    @Test func `a variable that is not set is refused`() {
        #expect(
            refusal(of: Sample.issuer("jwks: { env: GONE }"))
                == """
                gateway.yaml:2:63: issuers.main.jwks.env: expected a JWK Set in the environment variable GONE, found no such variable
                    set it for this process: a service's environment is not that of your shell
                """)
    }

    @Test func `the algorithm none is refused`() {
        #expect(
            refusal(of: Sample.issuer("algorithms: [none]"))
                == """
                gateway.yaml:2:63: issuers.main.algorithms[0]: expected one of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, found "none"
                    unsigned tokens are never accepted
                """)
    }

    @Test func `an algorithm with a shared secret is refused`() {
        #expect(
            refusal(of: Sample.issuer("algorithms: [HS256]"))
                == """
                gateway.yaml:2:63: issuers.main.algorithms[0]: expected one of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, found "HS256"
                    a shared secret would let whoever checks tokens also make them; let the issuer use ES256
                """)
    }

    @Test func `an algorithm in lower case is refused`() {
        #expect(
            refusal(of: Sample.issuer("algorithms: [es256]"))
                == """
                gateway.yaml:2:63: issuers.main.algorithms[0]: expected one of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, found "es256"
                    did you mean ES256?
                """)
    }

    @Test func `an empty list of algorithms is refused`() {
        #expect(
            refusal(of: Sample.issuer("algorithms: []"))
                == """
                gateway.yaml:2:62: issuers.main.algorithms: expected a list of 1 to 16 signature algorithms, found an empty list
                    write it as  algorithms: [ES256, RS256]
                """)
    }

    @Test func `another explicit type is refused`() {
        #expect(
            refusal(of: Sample.issuer("accept_typ: [logout+jwt]"))
                == """
                gateway.yaml:2:63: issuers.main.accept_typ[0]: expected one of at+jwt, JWT, none, found "logout+jwt"
                    words here: at+jwt, JWT, none
                """)
    }

    @Test func `a leeway of more than five minutes is refused`() {
        #expect(
            refusal(of: Sample.issuer("leeway: 301s"))
                == """
                gateway.yaml:2:58: issuers.main.leeway: expected a duration from 0ms to 5m in whole seconds, found "301s"
                    choose a duration from 0ms to 5m
                """)
    }

    @Test func `a leeway of half a second is refused`() {
        #expect(
            refusal(of: Sample.issuer("leeway: 500ms"))
                == """
                gateway.yaml:2:58: issuers.main.leeway: expected a duration from 0ms to 5m in whole seconds, found "500ms"
                    choose a duration from 0ms to 5m
                """)
    }

    @Test func `a duration without a unit is refused`() {
        #expect(
            refusal(of: Sample.issuer("leeway: 30"))
                == """
                gateway.yaml:2:58: issuers.main.leeway: expected a duration from 0ms to 5m in whole seconds, found the number 30
                    say the unit: 30s
                """)
    }

    @Test func `a network without a prefix is refused`() {
        #expect(
            refusal(of: Sample.issuer("allow_private: [10.0.0.1]"))
                == """
                gateway.yaml:2:66: issuers.main.allow_private[0]: expected a network such as 10.0.0.0/8 or fd00::/8, found "10.0.0.1"
                    write it as  10.0.0.1/32  for this address alone
                """)
    }

    @Test func `the whole internet as a private network is refused`() {
        #expect(
            refusal(of: Sample.issuer("allow_private: [0.0.0.0/0]"))
                == """
                gateway.yaml:2:66: issuers.main.allow_private[0]: expected a network such as 10.0.0.0/8 or fd00::/8, found "0.0.0.0/0"
                    name the networks that issuers really live in; /0 would be the whole internet
                """)
    }

    @Test func `a network with bits after its prefix is refused`() {
        #expect(
            refusal(of: Sample.issuer("allow_private: [10.1.0.0/8]"))
                == """
                gateway.yaml:2:66: issuers.main.allow_private[0]: expected a network such as 10.0.0.0/8 or fd00::/8, found "10.1.0.0/8"
                    set the bits after the first 8 to zero, or write a longer prefix
                """)
    }

    @Test func `lifetimes the wrong way round are refused`() {
        #expect(
            refusal(of: Sample.issuer("keys: { minimum_lifetime: 2h }"))
                == """
                gateway.yaml:2:58: issuers.main.keys.minimum_lifetime: expected a minimum_lifetime of at most maximum_lifetime, found 2h and 1h
                    raise maximum_lifetime or lower minimum_lifetime
                """)
    }

    @Test func `a file of authorities without a certificate is refused`() {
        #expect(
            refusal(of: Sample.issuer("certificate_authority: tls.key"))
                == """
                gateway.yaml:2:73: issuers.main.certificate_authority: expected certificates of certification authorities in PEM, found no certificate in PEM
                    give the PEM file of the authority that signed the server's certificate
                """)
    }

    @Test func `yes is not true`() {
        #expect(
            refusal(
                of: Sample(issuers: "issuers: { main: { url: http://127.0.0.1:1/, insecure_allow_http: yes } }").text)
                    == """
                    gateway.yaml:2:46: warning: issuers.main.insecure_allow_http: expected https, found an issuer reached by plain HTTP
                        for development only: whoever can change the traffic can sign every token
                    gateway.yaml:2:67: issuers.main.insecure_allow_http: expected true or false, found "yes"
                        write it as  true
                    """)
    }

    @Test func `a document without keys or with too many is no key set`() {
        let key = #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#
        let many = "{\"keys\":[\(Array(repeating: key, count: 101).joined(separator: ","))]}"
        let secret = #"{"keys":[{"kty":"oct","k":"AAAA"}]}"#
        for (document, found) in [
            ("{}", "no object with a list keys"), (many, "a document that is not believed (keySetTooLarge)"),
            (secret, "private key material in the key at position 0"),
            (#"{"keys":[{"kty":"EC"}]}"#, "no usable key (the first: curveUnknown)"),
            ("{\"keys\":[\(key),\(key.dropLast()),\"d\":\"AAAA\"}]}", "private key material in the key at position 1"),
        ] {
            let sources = ConfigurationSources.scripted(environment: ["JWKS": document])
            #expect(
                refusal(of: Sample.issuer("jwks: { env: JWKS }"), from: sources)
                    == """
                    gateway.yaml:2:63: issuers.main.jwks.env: expected a JWK Set with at least one usable key, found \(found)
                        give the document that the issuer publishes as its jwks_uri (RFC 7517)
                    """)
        }
    }

    @Test func `keys at a fragment are refused`() {
        #expect(
            refusal(of: Sample.issuer("jwks_uri: 'https://id.example.com/#keys'"))
                == """
                gateway.yaml:2:60: issuers.main.jwks_uri: expected a URL such as https://id.example.com/jwks.json, found "https://id.example.com/#keys"
                    write an absolute URL without fragment
                """)
    }
}
