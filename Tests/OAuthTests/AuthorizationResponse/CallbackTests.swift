import Crypto
import OAuth
import Refusals
import TestSupport
import TestTraits
import Testing

/// RFC 9207 §2.1.
private let published =
    "code=x1848ZT64p4IirMPT0R-X3141MFPTuBX-VFL_cvaplMH58"
    + "&state=ZWVlNDBlYzA1NjdkMDNhYjg3ZjUxZjAyNGQzMTM2NzI&iss=https%3A%2F%2Fhonest.as.example"
/// RFC 9207 §2.2.
private let publishedError =
    "error=access_denied&state=N2JjNGJhY2JiZjRhYzA3MGJkMzNmMDE5OWJhZmJhZjA&iss=https%3A%2F%2Fhonest.as.example"

private func refusal(_ form: String) -> AuthorizationResponseRefusal? { Returning().refusal(form) }

@Suite struct `an authorization response` {
    private let honest = "iss=https://honest.as.example"
    private let start = "state=s&iss=https://honest.as.example"

    @Test(.holds("CF-20")) func `is a code and a state`() throws {
        #expect(try Returning().code(published) == "x1848ZT64p4IirMPT0R-X3141MFPTuBX-VFL_cvaplMH58")
        #expect(
            try Returning().open(Array(published.utf8)).state == "ZWVlNDBlYzA1NjdkMDNhYjg3ZjUxZjAyNGQzMTM2NzI")
        #expect(try Returning().code("c%6Fde=a+b%2bc&\(start)&session_state=x") == "a b+c")
    }

    @Test(.refuses("CF-20"), arguments: ["code", "state", "iss", "error", "response", "session_state"])
    func `has each parameter that means something once`(name: String) {
        let value = name == "iss" ? "https://honest.as.example" : "s"
        let more = name == "code" || name == "state" || name == "iss" ? "" : "&\(name)=\(value)"
        for again in [name, "%\(String(name.utf8.first ?? 0, radix: 16))\(name.dropFirst())"] {
            #expect(refusal("code=c&\(start)\(more)&\(again)=\(value)") == .repeated(name))
            #expect(refusal("code=c&\(start)\(more)&\(again)") == .repeated(name))
        }
    }

    @Test(.holds("CF-20")) func `may have whatever a server echoes`() throws {
        let echoed =
            "&prompt=login&client_assertion=eyJ.eyJ.x&prompt=none&=&&&x=%zz&%zz=1&a%00b=%0d%0a&error_description=%3Cscript"
            + "&scope=a+b&Code=x&error%20=y&token_type=z&expires_in=1"
        #expect(try Returning().code("code=c&\(start)\(echoed)") == "c")
    }

    @Test(.holds("CF-20"), .refuses("CF-20")) func `is small`() {
        let long = "code=c&\(start)&x=" + String(repeating: "x", count: 32_768)
        #expect(refusal(long) == .tooLarge(bytes: long.utf8.count))
        #expect(refusal(String(long.prefix(32_768))) == nil)
    }

    @Test(.refuses("CF-20")) func `without a state, a code or an error is none`() {
        #expect(refusal("code=c&iss=https://honest.as.example") == .missing("state"))
        #expect(refusal(start) == .missing("code"))
        #expect(refusal("") == .missing("state"))
        #expect(refusal("state&code=c") == .malformed("state"))
        #expect(refusal("code=c&error=access_denied&\(start)") == .codeAndError)
    }

    @Test(.holds("CF-21"), .refuses("CF-21"))
    func `has its state before anything else is looked at, so that its transaction ends`()
        throws
    {
        for rest in ["code=a&code=b", "code=%zz", "iss=a&iss=b", "access_token=x", "code=%0d", ""] {
            let response = try Returning().open(Array("state=s&\(rest)".utf8))
            #expect(response.state == "s")
            #expect(throws: AuthorizationResponseRefusal.self) { try Returning().check(response) }
        }
    }

    @Test(.refuses("CF-21", "CF-24")) func `of another server says nothing, an error least of all`() {
        let forged = "error=access_denied&error_description=call+0800&state=s&iss=https://evil.example"
        #expect(refusal(forged) == .issuerMismatch)
        #expect(refusal("code=a&error=b&state=s&iss=https://evil.example") == .issuerMismatch)
        #expect(refusal("code=%00&state=s&iss=https://evil.example") == .issuerMismatch)
        #expect(refusal("state=s") == .missing("iss"))
    }

    @Test(.holds("CF-22"), .refuses("CF-22")) func `has the issuer that was asked, where that one says so`() throws {
        #expect(try Returning().code(published) != nil)
        var returning = Returning()
        #expect(returning.refusal("code=c&state=s") == .missing("iss"))
        #expect(AuthorizationResponseRefusal.missing("iss").kind == .issuerWrong)
        returning.rules.requiresIssuer = false
        #expect(try returning.code("code=c&state=s") == "c")
        #expect(returning.refusal("code=c&state=s&iss=https://evil.example") == .issuerMismatch)
    }

    @Test(
        .refuses("CF-22", "CF-23"),
        arguments: [
            "https://honest.as.example/", "https://honest.as.example:443", "HTTPS://honest.as.example",
            "https://Honest.as.example", "http://honest.as.example", "https://honest.as.exampl%C3%A9", "",
            "https://honest.as.example%00", "%20https://honest.as.example", "https://honest.as.example.evil.example",
            "https%253A%252F%252Fhonest.as.example",
        ])
    func `An issuer in any other spelling is refused`(issuer: String) {
        for requires in [true, false] {
            var returning = Returning()
            returning.rules.requiresIssuer = requires
            #expect(returning.refusal("code=c&state=s&iss=\(issuer)") == .issuerMismatch)
        }
    }

    @Test(.holds("CF-22"), .refuses("CF-22")) func `compares code points, not what looks alike`() {
        var returning = Returning()
        returning.rules.issuer = "https://caf\u{E9}.example"
        #expect(returning.refusal("code=c&state=s&iss=https://caf%C3%A9.example") == nil)
        #expect(returning.refusal("code=c&state=s&iss=https://cafe%CC%81.example") == .issuerMismatch)
    }

    @Test(.refuses("CF-22")) func `of two issuers is refused, though one were right`() {
        #expect(refusal("code=c&state=s&\(honest)&iss=https://evil.example") == .repeated("iss"))
        #expect(refusal("code=c&state=s&iss=https://evil.example&\(honest)") == .repeated("iss"))
    }

    @Test(
        .holds("CF-24"),
        arguments: [
            ("access_denied", AuthorizationError.Meaning.accessDenied), ("login_required", .interactionRequired),
            ("interaction_required", .interactionRequired), ("consent_required", .interactionRequired),
            ("account_selection_required", .interactionRequired), ("temporarily_unavailable", .serverBusy),
            ("server_error", .serverBusy), ("unmet_authentication_requirements", .authenticationUnmet),
            ("invalid_scope", .other), ("Access_denied", .other), ("x", .other),
        ])
    func `may be an error, which means something`(code: String, meaning: AuthorizationError.Meaning) throws {
        let error = try #require(try Returning().error("error=\(code)&\(start)&error_description=%3Cscript%3E"))
        #expect(error.code == code)
        #expect(error.meaning == meaning)
        #expect("\(error)".contains("script") == false)
    }

    @Test(.holds("CF-24")) func `is the published error`() throws {
        #expect(try Returning().error(publishedError)?.meaning == .accessDenied)
    }

    @Test(
        .refuses("CF-24"),
        arguments: [
            "", "%22", "%5C", "a%0Ab", "%C3%BC", "%7F", "%", "%4", String(repeating: "e", count: 65),
        ])
    func `has no error that RFC 6749 could not spell`(code: String) {
        #expect(refusal("error=\(code)&\(start)") == .malformed("error"))
    }

    @Test(.holds("CF-27")) func `has a code of printable ASCII, of 2 KiB at most`() throws {
        let long = String(repeating: "c", count: 2048)
        #expect(try Returning().code("code=\(long)&\(start)") == long)
        #expect(try Returning().code("code=%20%7E%25&\(start)") == " ~%")
        let code = try Returning().read("code=hush&\(start)")
        #expect("\(code)".contains("hush") == false)
    }

    @Test(
        .refuses("CF-27"),
        arguments: [
            "", "%0d%0a", "a%0d%0aSet-Cookie:x", "%00", "%7F", "%80", "%C3%BC", "a%", "a%0", "a%zz", "%1F",
            String(repeating: "c", count: 2049),
        ])
    func `A code with anything else, or a longer one, is refused`(code: String) {
        #expect(refusal("code=\(code)&\(start)") == .malformed("code"))
        #expect(AuthorizationResponseRefusal.malformed("code").check == "CF-27")
    }

    @Test(.refuses("CF-20", "CF-01"), arguments: ["access_token", "id_token", "%61ccess_token"])
    func `with a token is refused, whatever else is in it`(name: String) {
        for value in ["=x", "=", "", "=%zz"] {
            #expect(refusal("code=c&\(start)&\(name)\(value)") == .tokensInResponse)
            #expect(refusal("\(name)\(value)&\(start)") == .tokensInResponse)
        }
    }

    @Test(.refuses("CF-20"), arguments: ["", "%00", "s%0As", "%FF", "%", String(repeating: "s", count: 513)])
    func `has a state that could be one of ours`(state: String) {
        #expect(refusal("code=c&state=\(state)&iss=https://honest.as.example") == .malformed("state"))
    }

    @Test(.refuses("CF-20"))
    func `is read from bytes cut or changed anywhere, and the issuer stays the one that was asked`() {
        let bytes = Array("code=c&state=s&iss=https%3A%2F%2Fhonest.as.example&session_state=%21".utf8)
        for count in bytes.indices {
            _ = refusal(String(decoding: bytes[..<count], as: UTF8.self))
            for bit in 0..<8 {
                var changed = bytes
                changed[count] ^= 1 << bit
                guard let response = try? Returning().open(changed) else { continue }
                guard case .code(let code) = try? Returning().check(response) else { continue }
                #expect((1...10).contains(code.count))
            }
        }
    }

    @Test(.refuses("CF-26")) func `prints nothing of itself`() throws {
        let response = try Returning().open(Array("code=hush1&state=hush2&\(honest)".utf8))
        var dumped = ""
        dump(response, to: &dumped)
        for text in [dumped, "\(response)", String(reflecting: response), "\(try Returning().check(response))"] {
            #expect(!text.contains("hush"))
        }
    }

    @Test(.refuses("CF-26")) func `is in no refusal, however that is printed`() {
        let refusals: [AuthorizationResponseRefusal?] = [
            refusal("code=hush1&state=hush2&iss=hush3"), refusal("code=hush1%00&\(start)"),
            refusal("code=hush1&code=hush1&\(start)"), refusal("access_token=hush1&\(start)"),
        ]
        for refusal in refusals {
            let text = "\(String(reflecting: refusal)) \(refusal?.found ?? "") \(refusal?.check ?? "")"
            #expect(!text.contains("hush"))
            #expect(refusal?.expected(by: Returning().rules).contains("hush") == false)
        }
    }
}
