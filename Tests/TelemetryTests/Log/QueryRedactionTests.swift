import Telemetry
import TestTraits
import Testing

private func redacted(_ query: String, limit: Int = 1024) -> String {
    var output: [UInt8] = []
    QueryRedaction.append(Array(query.utf8).span, limit: limit, to: &output)
    return String(decoding: output, as: UTF8.self)
}

@Suite struct `a query in a log` {
    @Test(
        .refuses("OPS-01"),
        arguments: [
            "access_token", "assertion", "client_assertion", "client_secret", "code", "code_verifier", "id_token",
            "id_token_hint", "logout_token", "password", "refresh_token", "request", "response", "state", "token",
            "subject_token", "actor_token", "jwt", "api_key", "apikey", "apiKey", "sig", "signature", "auth", "key",
            "secret", "authorization", "bearer", "passwd", "pwd", "pass", "passphrase", "access_key", "accessKey",
            "secret_key",
            "private_key", "subscription-key", "csrf_token", "accessToken", "clientSecret", "X-Amz-Signature",
            "X-Amz-Security-Token", "X-Amz-Credential", "X-Goog-Signature", "SAMLResponse", "SAMLRequest", "session",
            "session_id", "PHPSESSID", "jsessionid", "sid", "otp", "totp", "ticket", "hmac", "device_code", "user_code",
            "credentials",
        ])
    func `the value of a credential is redacted`(name: String) {
        #expect(redacted("\(name)=SECRET") == "\(name)=[redacted]")
        #expect(redacted("a=1&\(name)=SECRET&b=2") == "a=1&\(name)=[redacted]&b=2")
    }

    @Test(
        .refuses("OPS-01"),
        arguments: [
            "Access_Token", "access%5Ftoken", "%61ccess_token", "%41CCESS%5ftoken", "access.token", "access+token",
            "access-token", "access%20token", "access_token[]", "access_token%5B0%5D", "_access_token",
            "%20access_token",
            "?access_token", "%3Faccess_token",
        ])
    func `no spelling of a name that an upstream may read as a credential's hides its value`(name: String) {
        #expect(redacted("\(name)=SECRET") == "\(name)=[redacted]")
        #expect(redacted("a=1;\(name)=SECRET;b=2") == "a=1;\(name)=[redacted];b=2")
    }

    @Test(
        .holds("OPS-01"),
        arguments: [
            "", "a", "a=1", "a=1&b=2", "a=&b", "tokens=1", "xcode=1", "codec=1", "cod=1", "access%5tokens=1", "&&&",
            "=x",
            "q=access_token", "token_type=1", "keyword=1", "monkey=1", "author=1", "design=1", "status=1", "sort_by=1",
            "page=1", "passenger=1", "postcode=1", "side=1",
        ])
    func `other parameters are written as they came`(query: String) {
        #expect(redacted(query) == query)
    }

    @Test(.refuses("OPS-01")) func `a value with an equals sign is redacted whole`() {
        #expect(redacted("code=a=b=c&x=1") == "code=[redacted]&x=1")
    }

    @Test(
        .holds("OPS-02"), .refuses("OPS-02"),
        arguments: [
            ("abcdef=1", 3, "abcdef=..."),
            ("a=1234567890", 6, "a=1234..."),
            ("a=1&b=2", 4, "a=1&..."),
            ("a=1", 3, "a=1"),
            ("a=1", 0, "..."),
        ])
    func `is cut near the limit`(query: String, limit: Int, expected: String) {
        #expect(redacted(query, limit: limit) == expected)
    }

    @Test(.refuses("OPS-01")) func `no limit lets a part of a credential through`() {
        for limit in 0...60 {
            #expect(!redacted("aaaa=1&access_token=SECRET&code=SECRET&b=1", limit: limit).contains("S"))
        }
    }

    @Test(.refuses("OPS-01")) func `hostile bytes in names do not trap and are not lost`() {
        for first in UInt8.min...UInt8.max {
            for tail in [[], [0x25], [0x25, 0x35], [0x25, 0x35, 0x46]] as [[UInt8]] {
                let query = [first] + tail
                var output: [UInt8] = []
                QueryRedaction.append(query.span, to: &output)
                #expect(output == query)
            }
        }
    }
}
