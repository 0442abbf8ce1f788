import JSON
import OAuth
import TestTraits
import Testing

/// What a field carries for the JSON value `text`.
private func field(_ text: String, separator: String = " ", encoding: Claims.Encoding = .percent) throws -> String? {
    Claims.identityBytes(try readJSON(text), separator: separator, encoding: encoding)
        .map { String(decoding: $0, as: UTF8.self) }
}

@Suite struct `claims in header fields` {
    @Test(
        .holds("HTTP-46"),
        arguments: [
            (#""user-1""#, "user-1"), (#""Zo\u00eb""#, "Zo%C3%AB"), (#""Zoë""#, "Zo%C3%AB"), (#""a b""#, "a b"),
            (#""100%""#, "100%25"), (#""😀""#, "%F0%9F%98%80"), ("12", "12"), ("-1.50e3", "-1.50e3"), ("true", "true"),
            ("false", "false"), (#"["a","b"]"#, "a b"), (#"[1,true,"x"]"#, "1 true x"), (#"["a"]"#, "a"),
            (#""\"\\,;=""#, #""\,;="#),
        ])
    func `a value is printed in ASCII`(text: String, expected: String) throws {
        #expect(try field(text) == expected)
    }

    @Test(
        .refuses("HTTP-46"),
        arguments: [
            "null", "{}", #"{"a":1}"#, "[]", "[null]", "[{}]", #"[[1]]"#, #""""#, #"["",""]"#,
        ])
    func `a value without words writes no field`(text: String) throws {
        #expect(try field(text) == nil)
        #expect(try field(text, encoding: .base64url) == nil)
    }

    @Test(.refuses("HTTP-46")) func `a claim with a line break stays one line`() throws {
        #expect(try field(#""a\r\nX-Admin: 1""#) == "a%0D%0AX-Admin: 1")
        #expect(try field(#"["a\r\nX-Admin: 1","\u0000"]"#) == "a%0D%0AX-Admin:%201 %00")
    }

    @Test(.refuses("HTTP-46"), arguments: [Claims.Encoding.percent, .base64url, .base64])
    func `no character of any claim can split a field`(encoding: Claims.Encoding) throws {
        for scalar in (0..<0x300).compactMap(Unicode.Scalar.init) {
            let quoted = scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : String(Character(scalar))
            let text =
                scalar.value < 0x20 ? "\\u00\(scalar.value < 16 ? "0" : "")" + String(scalar.value, radix: 16) : quoted
            for json in [#""x\#(text)y""#, #"["\#(text)","x\#(text)"]"#, #""\#(text)""#] {
                let bytes = Claims.identityBytes(try readJSON(json), encoding: encoding)
                let written = try #require(bytes)
                #expect(written.allSatisfy { $0 >= 0x20 && $0 <= 0x7E })
                #expect(written.first != 0x20 && written.last != 0x20)
            }
        }
    }

    @Test(.refuses("HTTP-46")) func `a member of a list cannot read as two`() throws {
        #expect(try field(#"["user","x admin"]"#) == "user x%20admin")
        #expect(try field(#"["user","x,admin"]"#, separator: ",") == "user,x%2Cadmin")
        #expect(try field(#"["user","x, admin"]"#, separator: ", ") == "user, x%2C%20admin")
        #expect(try field(#"["user","","admin"]"#, separator: ",") == "user,admin")
    }

    @Test(.holds("HTTP-46")) func `outer spaces, which a reader would trim, are encoded`() throws {
        #expect(try field(#"" admin""#) == "%20admin")
        #expect(try field(#""admin  ""#) == "admin %20")
        #expect(try field(#"" ""#) == "%20")
    }

    @Test(.holds("HTTP-46")) func `base64url carries each value on its own`() throws {
        #expect(try field(#""Zoë""#, encoding: .base64url) == "Wm_Dqw")
        #expect(try field(#"["a b","c"]"#, encoding: .base64url) == "YSBi Yw")
        #expect(try field("true", encoding: .base64url) == "dHJ1ZQ")
    }
}

@Suite struct `claims by path` {
    private let text = #"""
        {"sub":"u","realm_access":{"roles":["a","b"]},"https://x.example/r":1,"a.b":"dot","n":7,"t":true,"z":null}
        """#

    @Test func `a path leads from the outside in`() throws {
        let claims = try readJSON(text)
        #expect(Claims.value(at: ["sub"], in: claims)?.string == "u")
        #expect(Claims.value(at: ["realm_access", "roles"], in: claims)?.count == 2)
        #expect(Claims.value(at: ["https://x.example/r"], in: claims)?.integer == 1)
        #expect(Claims.value(at: ["a.b"], in: claims)?.string == "dot")
    }

    @Test(arguments: [
        [], ["absent"], ["sub", "x"], ["realm_access", "absent"], ["realm_access", "roles", "0"], ["a", "b"], ["SUB"],
    ])
    func `a path that leads nowhere gives nothing`(path: [String]) throws {
        #expect(Claims.value(at: path, in: try readJSON(text)) == nil)
        #expect(!Claims.holds(path, anyOf: ["u", "a", "0"], in: try readJSON(text)))
    }

    @Test(.holds("RS-20")) func `a rule holds for the value or a member of its list`() throws {
        let claims = try readJSON(text)
        #expect(Claims.holds(["sub"], anyOf: ["x", "u"], in: claims))
        #expect(Claims.holds(["realm_access", "roles"], anyOf: ["b"], in: claims))
        #expect(Claims.holds(["n"], anyOf: ["7"], in: claims))
        #expect(Claims.holds(["t"], anyOf: ["true"], in: claims))
    }

    @Test(.refuses("RS-20")) func `a rule does not hold for anything else`() throws {
        let claims = try readJSON(text)
        #expect(!Claims.holds(["sub"], anyOf: ["U", "u\0", "", "uu"], in: claims))
        #expect(!Claims.holds(["sub"], anyOf: [], in: claims))
        #expect(!Claims.holds(["realm_access", "roles"], anyOf: ["a b", "c"], in: claims))
        #expect(!Claims.holds(["realm_access"], anyOf: ["roles", ""], in: claims))
        #expect(!Claims.holds(["z"], anyOf: ["null", ""], in: claims))
        #expect(!Claims.holds(["n"], anyOf: ["7.0"], in: claims))
        #expect(!Claims.holds(["x"], anyOf: ["caf\u{E9}"], in: try readJSON("{\"x\":\"cafe\u{301}\"}")))
    }
}
