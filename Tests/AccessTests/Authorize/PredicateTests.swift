import JSON
import TestTraits
import Testing

@testable import Access
@testable import OAuth

/// A token of a user for two resources, with other claims as JSON.
private func token(
    _ claims: String = "{}", subject: String? = "user-1", scopes: [String] = ["orders:read"]
) throws -> VerifiedAccessToken {
    VerifiedAccessToken(
        issuer: "https://id.example", subject: subject, clientID: "client-1", tokenID: nil,
        audiences: ["https://api.example/", "https://b.example"], scopes: scopes,
        times: TokenTimes(expiresAt: 2000, notBefore: nil, issuedAt: 1000),
        claims: try JSONValue.parse(Array(claims.utf8).span))
}

@Suite struct `a predicate` {
    @Test(.holds("RS-12", "RS-13", "RS-19"), .refuses("RS-12", "RS-13", "RS-19"))
    func `holds for exactly what it names`() throws {
        let token = try token()
        #expect(Predicate.issuer(3).holds(for: token, issuer: 3))
        #expect(!Predicate.issuer(3).holds(for: token, issuer: 2))
        for audience in ["https://api.example/", "https://b.example"] {
            #expect(Predicate.audience(audience).holds(for: token, issuer: 0))
        }
        for audience in ["https://api.example", "https://b.example/", "HTTPS://b.example", ""] {
            #expect(!Predicate.audience(audience).holds(for: token, issuer: 0))
        }
        #expect(Predicate.scope("orders:read").holds(for: token, issuer: 0))
        for scope in ["orders", "Orders:read", "orders:read orders:write", ""] {
            #expect(!Predicate.scope(scope).holds(for: token, issuer: 0))
        }
    }

    @Test(.holds("RS-21"), .refuses("RS-21"), arguments: ["client-1", nil] as [String?])
    func `on users does not hold for a client's own token, nor for one of nobody`(subject: String?) throws {
        #expect(Predicate.user.holds(for: try token(), issuer: 0))
        #expect(!Predicate.user.holds(for: try token(subject: subject), issuer: 0))
    }

    @Test(.holds("RS-20"), .refuses("RS-20")) func `on a claim holds for one of its values`() throws {
        let token = try token(#"{"realm":{"roles":["admin","ops"]},"tenant":"blue"}"#)
        func holds(_ claim: [String], _ anyOf: [String]) -> Bool {
            Predicate.claim(ClaimRuleSettings(claim: claim, anyOf: anyOf)).holds(for: token, issuer: 0)
        }
        #expect(holds(["realm", "roles"], ["nobody", "ops"]))
        #expect(holds(["tenant"], ["blue"]))
        #expect(!holds(["realm", "roles"], ["Admin"]))
        #expect(!holds(["realm", "roles"], []))
        #expect(!holds(["roles"], ["admin"]))
        #expect(!holds(["tenant", "x"], ["blue"]))
        #expect(!holds(["missing"], ["blue"]))
    }

    @Test(.holds("RS-20"), .refuses("RS-20")) func `on claims holds for all values, or for one rule of several`() throws
    {
        let token = try token(#"{"groups":["staff","ops"],"tenant":"blue"}"#)
        func rule(_ claim: String, _ values: String...) -> ClaimRuleSettings {
            ClaimRuleSettings(claim: [claim], anyOf: values)
        }
        func all(_ values: String...) -> ClaimRuleSettings {
            var rule = ClaimRuleSettings(claim: ["groups"], anyOf: values)
            rule.kind = .allOf
            return rule
        }
        for rule in [all("staff", "ops"), all("ops"), .init(oneOf: [rule("tenant", "red"), all("staff")])] {
            #expect(Predicate.claim(rule).holds(for: token, issuer: 0), "\(rule.text)")
        }
        for rule in [
            all("staff", "admins"), all("Staff"), .init(oneOf: [rule("tenant", "red"), all("admins")]),
            .init(oneOf: []),
        ] {
            #expect(!Predicate.claim(rule).holds(for: token, issuer: 0), "\(rule.text)")
        }
    }

    private func holds(_ rule: ClaimRuleSettings, email: String, verified: String = "true") throws -> Bool {
        let token = try token(#"{"email":\#(email),"email_verified":\#(verified)}"#)
        return Predicate.claim(rule).holds(for: token, issuer: 0)
    }

    private static let mail = ClaimRuleSettings(
        emailIn: ["example.com"], subdomains: false, addresses: ["guest@other.example"])

    @Test(
        .holds("RS-20"),
        arguments: [
            "a@example.com", "A.B+c@EXAMPLE.com", "o'hara_{1}@Example.Com", "guest@other.example",
            "Guest@Other.Example",
        ])
    func `on an address of mail holds in a domain, or on a list`(email: String) throws {
        #expect(try holds(Self.mail, email: "\"\(email)\""))
    }

    @Test(
        .refuses("RS-20"),
        arguments: [
            "a@sub.example.com", "a@example.com.evil.test", "a@notexample.com", "example.com", "@example.com", "a@", "",
            // Two of them, of which one reader takes the first and another the last; what has a meaning in quotation marks.
            "a@example.com@evil.test", "a@evil.test@example.com", "a@@example.com", "a@example.com@example.com",
            "\\\"a@evil.test\\\"@example.com", "a@evil.test(@example.com", "a@[example.com]", "a:b@example.com",
            "a%40evil.test@example.com@example.com", "a@example.com ", " a@example.com", "a@example.com\\u0000",
            "a@example.com,b@x.test",
            "<a@example.com>", "a@example.com.", "a@.example.com", "guest@example.org", "a@example.com/",
            "a@example.com:25",
            // Dots, letters and signs of other scripts that become ours where somebody folds them (UAX 15).
            "a@example\u{2024}com", "a@example\u{3002}com", "a@example\u{FF0E}com", "a@example\u{FF61}com",
            "a@\u{FF45}xample.com", "a@ex\u{430}mple.com", "a@example.com\u{200B}", "a\u{FF20}evil.test@example.com",
            "\u{FF41}@example.com", "a\u{0085}@example.com", "a\u{202E}@example.com", "gue\u{17F}t@other.example",
            "a@\u{212A}example.com",
            "other@other.example", "xguest@other.example",
        ])
    func `on an address of mail does not hold for others`(email: String) throws {
        #expect(try !holds(Self.mail, email: "\"\(email)\""))
    }

    @Test(.refuses("RS-20"), arguments: ["false", "null", "\"true\"", "1", "[true]"])
    func `on an address of mail does not hold for one that nobody verified`(verified: String) throws {
        #expect(try !holds(Self.mail, email: "\"a@example.com\"", verified: verified))
        #expect(try !holds(Self.mail, email: "[\"a@example.com\"]"))
        #expect(!Predicate.claim(Self.mail).holds(for: try token(#"{"email":"a@example.com"}"#), issuer: 0))
    }

    @Test(.holds("RS-20"), .refuses("RS-20")) func `on an address of mail holds below a domain where that is said`()
        throws
    {
        let rule = ClaimRuleSettings(emailIn: ["example.com"], subdomains: true, addresses: [])
        for email in ["a@example.com", "a@b.example.com", "a@C.b.Example.com"] {
            #expect(try holds(rule, email: "\"\(email)\""), "\(email)")
        }
        for email in [
            "a@notexample.com", "a@.example.com", "a@example.com.b", "a@b..example.com", "a@evil.test#.example.com",
            "a@evil.test/.example.com", "a@b@c.example.com", "a@evil.test\u{3002}example.com", "a@\u{FC}.example.com",
        ] {
            #expect(try !holds(rule, email: "\"\(email)\""), "\(email)")
        }
    }

    @Test func `on claims is told in words, and a list by its file alone`() {
        var listed = ClaimRuleSettings(claim: ["groups"], anyOf: ["secret-1", "secret-2"])
        listed.file = "groups.txt"
        #expect(listed.text == "groups in the values of groups.txt")
        #expect(Self.mail.text == "a verified email at [example.com]")
        #expect(ClaimRuleSettings(oneOf: [listed, Self.mail]).names == ["groups", "email", "email_verified"])
    }

    @Test(.holds("STEP-01"), .refuses("STEP-01")) func `on a class of authentication compares it byte for byte`() throws
    {
        let token = try token(#"{"acr":"myACR"}"#)
        #expect(Predicate.authenticationClass("myACR").holds(for: token, issuer: 0))
        for other in ["myacr", "myACR ", "", "my"] {
            #expect(!Predicate.authenticationClass(other).holds(for: token, issuer: 0), "\(other)")
        }
    }

    @Test(
        .refuses("STEP-01"),
        arguments: ["{}", #"{"acr":["myACR"]}"#, #"{"acr":1}"#, #"{"acr":null}"#, #"{"acr":"other"}"#])
    func `on a class of authentication does not hold where no such text is`(claims: String) throws {
        #expect(!Predicate.authenticationClass("myACR").holds(for: try token(claims), issuer: 0))
    }

    @Test(.holds("RAR-01"), .refuses("RAR-01"))
    func `on authorization details asks what the claim grants, and whether it is one`() throws {
        let granted = try token(#"{"authorization_details":[{"type":"order","actions":["read"]}]}"#)
        let read = Predicate.authorizationDetails(AuthorizationDetailsRule(type: "order", actions: ["read"]))
        let delete = Predicate.authorizationDetails(AuthorizationDetailsRule(type: "order", actions: ["delete"]))
        #expect(read.holds(for: granted, issuer: 0))
        #expect(!delete.holds(for: granted, issuer: 0))
        #expect(Predicate.authorizationDetailsForm.holds(for: granted, issuer: 0))
        let malformed = try token(#"{"authorization_details":{}}"#)
        #expect(!Predicate.authorizationDetailsForm.holds(for: malformed, issuer: 0))
        #expect(!read.holds(for: malformed, issuer: 0))
    }
}

@Suite struct `the catalogue of predicates` {
    @Test func `gives one number to one question`() {
        var catalogue = PredicateCatalogue()
        let rule = ClaimRuleSettings(claim: ["a"], anyOf: ["b"])
        let questions: [Predicate] = [
            .issuer(0), .issuer(1), .audience("x"), .scope("x"), .claim(rule), .user,
            .claim(ClaimRuleSettings(claim: ["a"], anyOf: ["b", "c"])), .scope("X"),
        ]
        let numbers = questions.map { catalogue.number(of: $0) }
        #expect(numbers == Array(0..<8))
        #expect(questions.reversed().map { catalogue.number(of: $0) } == numbers.reversed())
        #expect(catalogue.predicates == questions)
    }

    @Test(arguments: [(1, 1), (63, 1), (64, 1), (65, 2), (127, 2), (128, 2), (129, 3)])
    func `answers each in its own bit across words`(count: Int, words: Int) throws {
        var catalogue = PredicateCatalogue()
        for number in 0..<count { _ = catalogue.number(of: .scope("s\(number)")) }
        for granted in [[], [0], [count - 1], [0, count / 2, count - 1], Array(0..<count)] {
            let written = catalogue.answers(for: try token(scopes: granted.map { "s\($0)" }), issuer: 0)
            #expect(written.count == words)
            for number in 0..<count {
                let isSet = written[number / 64] >> UInt64(number % 64) & 1 == 1
                #expect(isSet == granted.contains(number), "\(number) of \(count)")
                let holds = AnswerBits(written.span).holds(Int32(number))
                #expect(holds == isSet)
            }
            if count % 64 != 0 { #expect(written[words - 1] >> UInt64(count % 64) == 0, "no bit beyond the last") }
        }
    }
}
