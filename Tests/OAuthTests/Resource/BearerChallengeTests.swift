// SPDX-License-Identifier: Apache-2.0
import OAuth
import Testing

/// A strict reader of one challenge with parameters (RFC 9110 §11.3), for tests only.
private struct Challenge {
    var scheme = ""
    var parameters: [(name: String, value: String)] = []

    subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// Nil unless `text` is `scheme SP name="value" *( ", " name="value" )` to its last byte, each name once.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        while let byte = rest.first, Self.isToken(byte) {
            scheme.unicodeScalars.append(Unicode.Scalar(rest.removeFirst()))
        }
        guard !scheme.isEmpty, rest.popFirst() == 0x20 else { return nil }
        while true {
            var name = ""
            while let byte = rest.first, Self.isToken(byte) {
                name.unicodeScalars.append(Unicode.Scalar(rest.removeFirst()))
            }
            guard !name.isEmpty, rest.popFirst() == UInt8(ascii: "="), rest.popFirst() == UInt8(ascii: "\"") else {
                return nil
            }
            guard let value = Self.quoted(&rest), self[name.lowercased()] == nil else { return nil }
            parameters.append((name.lowercased(), value))
            if rest.isEmpty { return }
            guard rest.popFirst() == UInt8(ascii: ","), rest.popFirst() == 0x20 else { return nil }
        }
    }

    private static func quoted(_ rest: inout ArraySlice<UInt8>) -> String? {
        var value = ""
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return value
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(), escaped >= 0x20, escaped < 0x7F else { return nil }
                value.unicodeScalars.append(Unicode.Scalar(escaped))
            case 0x20..<0x7F: value.unicodeScalars.append(Unicode.Scalar(byte))
            default: return nil
            }
        }
        return nil
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

@Suite struct `the bearer challenge` {
    private let full = BearerChallenge(
        realm: "orders", scopes: ["orders:read"],
        resourceMetadata: "https://api.example/.well-known/oauth-protected-resource")

    @Test func `RS-02 without credentials no error is named`() {
        #expect(BearerChallenge(realm: "example").value() == #"Bearer realm="example""#)
        #expect(
            full.value()
                == #"Bearer realm="orders", scope="orders:read", resource_metadata="https://api.example/.well-known/oauth-protected-resource""#
        )
    }

    @Test func `RS-15 an expired token reads as RFC 6750 prints it`() {
        #expect(
            BearerChallenge(realm: "example").value(.invalidToken("The access token expired"))
                == #"Bearer realm="example", error="invalid_token", error_description="The access token expired""#)
    }

    @Test func `RS-19 insufficient scope names every scope the operation needs`() {
        #expect(
            full.value(.insufficientScope(["orders:read", "orders:write"]))
                == #"Bearer realm="orders", error="insufficient_scope", scope="orders:read orders:write", resource_metadata="https://api.example/.well-known/oauth-protected-resource""#
        )
    }

    @Test func `RS-05 a request that no reader understands alike is invalid`() {
        #expect(
            BearerChallenge(realm: "r").value(.invalidRequest("Multiple methods used to include access token"))
                == #"Bearer realm="r", error="invalid_request", error_description="Multiple methods used to include access token""#
        )
    }

    @Test func `RS-08 the parameters come in one order`() throws {
        let challenge = try #require(Challenge(full.value(.invalidToken("x"))))
        #expect(challenge.scheme == "Bearer")
        #expect(
            challenge.parameters.map(\.name) == ["realm", "error", "error_description", "scope", "resource_metadata"])
    }

    @Test(arguments: [#"a "b" \c"#, #"\"#, #"""#, #"", error="x"#, "", "plain", #"\\""#])
    func `RS-08 a realm is escaped and read back`(realm: String) throws {
        let challenge = BearerChallenge(realm: realm, resourceMetadata: realm)
        for problem in [
            BearerChallenge.Problem.none, .invalidToken("x"), .insufficientScope(["a"]), .invalidRequest("y"),
        ] {
            let read = try #require(Challenge(challenge.value(problem)))
            #expect(read["realm"] == realm)
            #expect(read["resource_metadata"] == realm)
        }
    }

    @Test func `RS-08 nothing outside printable ASCII gets into a challenge`() throws {
        let hostile = "a\r\nSet-Cookie: x\0\u{7F}é"
        let challenge = BearerChallenge(
            realm: hostile, scopes: [hostile, "ok", "a\"b", "", "c\\d"], resourceMetadata: hostile)
        for problem in [BearerChallenge.Problem.none, .invalidToken(hostile), .invalidRequest(hostile)] {
            let value = challenge.value(problem)
            #expect(value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
            let read = try #require(Challenge(value))
            #expect(read["scope"] == "ok")
        }
        let read = try #require(Challenge(challenge.value(.invalidToken(#"say "no" \ now"#))))
        #expect(read["error_description"] == "say  no    now")
        #expect(Challenge(challenge.value(.insufficientScope([hostile])))?["scope"] == nil)
    }

    @Test func `the reader of these tests is strict`() {
        for text in [
            "Bearer", "Bearer ", #"Bearer realm=a"#, #"Bearer realm="a"#, #"Bearer realm="a","#,
            #"Bearer realm="a" error="b""#,
            #"Bearer realm="a", realm="b""#, #"Bearer realm="a", REALM="b""#, " Bearer realm=\"a\"", #"Bearer ="a""#,
            "Bearer realm=\"\u{7F}\"",
        ] {
            #expect(Challenge(text) == nil)
        }
        #expect(Challenge(#"Bearer realm="a\"b", error="c""#)?["realm"] == #"a"b"#)
    }
}
