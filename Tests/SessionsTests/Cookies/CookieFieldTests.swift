import TestSupport
import TestTraits
import Testing

@testable import Sessions

@Suite struct `the Cookie field` {
    private static let name = "__Host-portcullis-shop"

    private func value(_ field: String, _ name: String = name) -> CookieField.Found {
        let bytes = Array(field.utf8)
        return CookieField.value(of: name, in: bytes)
    }

    private func text(_ field: String) -> String? {
        guard case .one(let value) = value(field) else { return nil }
        return String(decoding: value, as: UTF8.self)
    }

    @Test(
        .holds("SC-06"),
        arguments: [
            ("__Host-portcullis-shop=abc", "abc"), ("a=1; __Host-portcullis-shop=abc; b=2", "abc"),
            ("a=1;__Host-portcullis-shop=abc;b=2", "abc"), (" ;; a ; __Host-portcullis-shop=abc ;", "abc"),
            ("__Host-portcullis-shop=a=b=c", "a=b=c"), ("__Host-portcullis-shop=", ""),
            ("__Host-portcullis-shop", ""), ("a=\"x; __Host-portcullis-shop=abc", "abc"),
            ("\t__Host-portcullis-shop =abc\t", "abc"),
            ("__Host-portcullis-shopping=no; __Host-portcullis-shop=abc; __Host-portcullis-sho=no", "abc"),
            ("__Host-portcullis-shop=short; __Host-portcullis-shop.1=left behind", "short"),
        ])
    func `has the value of the one cookie of that name`(field: String, expected: String) {
        #expect(text(field) == expected)
    }

    @Test(
        .holds("SC-06"), .refuses("SC-06"),
        arguments: [
            "", "a=1", "__host-portcullis-shop=abc", "__Host-portcullis-Shop=abc", "x__Host-portcullis-shop=abc",
            "a=__Host-portcullis-shop=abc", "__Host-portcullis-shop.1=abc", "=__Host-portcullis-shop=abc", ";;;", "  ",
            "__Host-portcullis-shop\u{0}=abc",
        ])
    func `has no value under any other name`(field: String) {
        #expect(value(field) == .none)
        let bytes = Array(field.utf8)
        #expect(CookieField.locate(Self.name, in: bytes) == .none)
    }

    @Test(
        .holds("SC-06"),
        arguments: [
            "__Host-portcullis-shop=a; __Host-portcullis-shop=b", "__Host-portcullis-shop=a; __Host-portcullis-shop=a",
            "__Host-portcullis-shop=a; x=1; __Host-portcullis-shop", "__Host-portcullis-shop=;__Host-portcullis-shop=",
        ])
    func `takes neither of two cookies of one name`(field: String) {
        #expect(value(field) == .repeated)
        let bytes = Array(field.utf8)
        #expect(CookieField.locate(Self.name, in: bytes) == .repeated)
    }

    @Test(.holds("SC-06")) func `takes no value of which one chunk is there twice`() throws {
        let lines = SetCookie.lines(name: Self.name, value: Array(repeating: 0x61, count: 9000), sameSite: .lax)
        let pairs = lines.map { String($0.prefix { $0 != ";" }) }
        try #require(pairs.count == 3)
        #expect(value(pairs.joined(separator: "; ")) == .one(Array(repeating: 0x61, count: 9000)))
        for pair in pairs {
            #expect(value((pairs + [pair]).joined(separator: "; ")) == .repeated, "\(pair.prefix(26))")
        }
    }

    @Test(.refuses("SC-07"))
    func `joins the chunks in their order, wherever they stand, and none that an earlier value left`() {
        let bytes = (0..<9000).map { UInt8(0x61 + $0 % 26) }
        let pairs = SetCookie.lines(name: Self.name, value: bytes, sameSite: .lax).map { $0.prefix { $0 != ";" } }
        let field = (["x=1"] + pairs.reversed() + ["\(Self.name).3=stale"]).joined(separator: "; ")
        #expect(value(field) == .one(bytes))
        let whole = Array(field.utf8)
        #expect(CookieField.locate(Self.name, in: whole) == .chunked(3))
        #expect(CookieField.chunks(of: Self.name, in: whole) == 4, "what there is to delete")
        let short = Array("\(Self.name)=abc; \(Self.name).2=x; \(Self.name).4=y".utf8)
        #expect(CookieField.locate(Self.name, in: short) == .one(23..<26))
        #expect(CookieField.chunks(of: Self.name, in: short) == 3)
    }

    @Test(.refuses("SC-07")) func `has less than the value when a chunk is missing, and never another one's bytes`() {
        let bytes = (0..<9000).map { UInt8(0x61 + $0 % 26) }
        let pairs = SetCookie.lines(name: Self.name, value: bytes, sameSite: .lax).map { $0.prefix { $0 != ";" } }
        guard case .one(let found) = value([pairs[0], pairs[2]].joined(separator: "; ")) else {
            Issue.record("the first chunk is there")
            return
        }
        #expect(found.count < bytes.count)
        #expect(bytes.starts(with: found))
    }

    @Test(.holds("SC-16")) func `has each value that several cookies of one name could be, and so many at most`() {
        func read(_ field: String) -> (values: [String], areAll: Bool) {
            let bytes = Array(field.utf8)
            let found = CookieField.values(of: Self.name, in: bytes.span)
            return (found.values.map { String(decoding: $0, as: UTF8.self) }, found.areAll)
        }
        func values(_ field: String) -> [String] {
            let found = read(field)
            #expect(found.areAll)
            return found.values
        }
        let name = Self.name
        #expect(values("a=1") == [] && values("\(name).1=x") == [])
        #expect(values("\(name)=a; \(name)=b; \(name).1=c") == ["b", "a"], "the last first")
        #expect(values("\(name)=a; \(name)=b; \(name)=a") == ["a", "b"], "each once")
        let long = String(repeating: "l", count: SetCookie.room(0, nameCount: name.utf8.count))
        #expect(values("\(name)=\(long)") == [long])
        #expect(
            Set(values("\(name)=a; \(name)=\(long); \(name).1=c; \(name).1=d")) == ["a", long + "c", long + "d"])
        let many = (0..<100).map { "\(name)=\($0)" } + (0..<100).map { _ in "\(name)=\(long)" }
        let some = read((many + ["\(name)=own"]).joined(separator: ";"))
        #expect(some.values.count <= 32 && some.values.first == "own" && !some.areAll)
        let all = (0..<100).flatMap { ["\(name)=\(long.dropLast(2))\($0 % 90 + 10)", "\(name).1=\($0)"] }
        let product = read((all + ["\(name).1=own"]).joined(separator: ";"))
        #expect(product.values.count == 32 && !product.areAll)
        #expect(product.values.first == "\(long.dropLast(2))19own")
    }

    @Test(
        .holds("SC-14"),
        arguments: [
            ("a=1; __Host-portcullis-shop=x; b=2", "a=1; b=2"), ("__Host-portcullis-shop=x", ""),
            ("__HOST-PORTCULLIS-login-abcdefgh=x; a=1", "a=1"),
            ("__Host-portcullis=x;a=1;__host-portcullis-ended=1", "a=1"),
            ("__Host-app=x; __Host-app.1=y; __Host-app.9=z; __Host-apple=w", "__Host-app.9=z; __Host-apple=w"),
            ("__host-APP.3=x; a=\"1\" ; c", "a=\"1\"; c"), ("__Host-portcullis-shop =x; a=1", "a=1"),
            ("__Secure-portcullis-shop=x; a=1; __SECURE-PORTCULLIS.1=y; __Secure-other=z", "a=1; __Secure-other=z"),
        ])
    func `goes on without our cookies, in whatever case they are`(field: String, expected: String) throws {
        let bytes = Array(field.utf8)
        let stripped = try #require(CookieField.stripped(bytes, names: ["__Host-app"]))
        #expect(String(decoding: stripped, as: UTF8.self) == expected)
    }

    @Test(
        .holds("SC-14"),
        arguments: [
            "", "a=1; b=2", "__Host-other=1", "__Secure-other=1", "__Secureportcullis=1", "x__Host-portcullis=1",
            "a=__Host-portcullis=1", ";",
        ])
    func `goes on as it is when none of ours is there`(field: String) {
        let bytes = Array(field.utf8)
        #expect(CookieField.stripped(bytes, names: ["__Host-app"]) == nil)
    }

    @Test func `agrees with a slow reader about thousands of random fields`() {
        var dice = Dice(1)
        let words = [
            "__Host-portcullis-shop", "=", ";", "; ", " ", "a", ".1", ".2", "\t", "value", "__Host-portcullis-sho",
            String(repeating: "v", count: 4074), String(repeating: "w", count: 4072), "é", "\"",
        ]
        for _ in 0..<1500 {
            let field = (0..<Int.random(in: 0...14, using: &dice)).map { _ in words.randomElement(using: &dice) ?? "" }
                .joined()
            #expect(value(field) == Self.slowly(field), "\(field.count) bytes")
        }
    }

    @Test func `survives every cut of a field, and every byte in any place of it`() {
        let field = Array("a=1; __Host-portcullis-shop=abc; b".utf8)
        for cut in everyStart(of: field) { _ = CookieField.value(of: Self.name, in: cut) }
        for other in everyChange(of: field) {
            _ = CookieField.value(of: Self.name, in: other.bytes)
            _ = CookieField.stripped(other.bytes.span)
        }
    }

    /// The same, as one would write it who has all the time there is.
    private static func slowly(_ field: String) -> CookieField.Found {
        func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            var bytes = Array(bytes.drop { $0 == 0x20 || $0 == 0x09 })
            while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
            return bytes
        }
        var found: [[UInt8]: [[UInt8]]] = [:]
        for pair in Array(field.utf8).split(separator: 0x3b, omittingEmptySubsequences: true) {
            let parts = pair.split(separator: 0x3d, maxSplits: 1, omittingEmptySubsequences: false)
            // Spaces behind `=` are the value's: a browser sends none.
            var value = parts.count > 1 ? Array(parts[1]) : []
            while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
            found[trimmed(parts[0]), default: []].append(value)
        }
        var joined: [UInt8] = []
        for chunk in 0..<4 {
            let chunkName = chunk == 0 ? name : "\(name).\(chunk)"
            guard let values = found[Array(chunkName.utf8)] else { return chunk == 0 ? .none : .one(joined) }
            guard values.count == 1 else { return .repeated }
            joined += values[0]
            if values[0].count + chunkName.utf8.count < 4096 { break }
        }
        return .one(joined)
    }
}
