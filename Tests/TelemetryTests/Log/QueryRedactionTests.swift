// SPDX-License-Identifier: Apache-2.0
import Telemetry
import Testing

private func redacted(_ query: String, limit: Int = 1024) -> String {
    var output: [UInt8] = []
    QueryRedaction.append(Array(query.utf8).span, limit: limit, to: &output)
    return String(decoding: output, as: UTF8.self)
}

@Suite struct `a query in a log` {
    @Test(arguments: [
        "access_token", "assertion", "client_assertion", "client_secret", "code", "code_verifier", "id_token",
        "id_token_hint", "logout_token", "password", "refresh_token", "request", "response", "state", "token",
        "subject_token", "actor_token",
    ])
    func `OPS-01 the value of a credential is redacted`(name: String) {
        #expect(redacted("\(name)=SECRET") == "\(name)=[redacted]")
        #expect(redacted("a=1&\(name)=SECRET&b=2") == "a=1&\(name)=[redacted]&b=2")
    }

    @Test(arguments: [
        "Access_Token", "access%5Ftoken", "%61ccess_token", "%41CCESS%5ftoken", "access.token", "access+token",
        "access-token", "access%20token", "access_token[]", "access_token%5B0%5D", "_access_token", "%20access_token",
        "?access_token", "%3Faccess_token",
    ])
    func `OPS-01 no spelling of a name that an upstream may read as a credential's hides its value`(name: String) {
        #expect(redacted("\(name)=SECRET") == "\(name)=[redacted]")
        #expect(redacted("a=1;\(name)=SECRET;b=2") == "a=1;\(name)=[redacted];b=2")
    }

    @Test(arguments: [
        "", "a", "a=1", "a=1&b=2", "a=&b", "tokens=1", "xcode=1", "codec=1", "cod=1", "access%5token=1", "&&&", "=x",
        "q=access_token",
    ])
    func `OPS-01 other parameters are written as they came`(query: String) {
        #expect(redacted(query) == query)
    }

    @Test func `OPS-01 a value with an equals sign is redacted whole`() {
        #expect(redacted("code=a=b=c&x=1") == "code=[redacted]&x=1")
    }

    @Test(arguments: [
        ("abcdef=1", 3, "abcdef=..."),
        ("a=1234567890", 6, "a=1234..."),
        ("a=1&b=2", 4, "a=1&..."),
        ("a=1", 3, "a=1"),
        ("a=1", 0, "..."),
    ])
    func `OPS-02 is cut near the limit`(query: String, limit: Int, expected: String) {
        #expect(redacted(query, limit: limit) == expected)
    }

    @Test func `OPS-01 no limit lets a part of a credential through`() {
        for limit in 0...60 {
            #expect(!redacted("aaaa=1&access_token=SECRET&code=SECRET&b=1", limit: limit).contains("S"))
        }
    }

    @Test func `OPS-01 hostile bytes in names do not trap and are not lost`() {
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
