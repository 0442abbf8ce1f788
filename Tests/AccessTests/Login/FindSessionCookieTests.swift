import Access
import Bytes
import HTTPMessage
import Sessions
import TestSupport
import TestTraits
import Testing

@Suite struct `the session cookie of a request` {
    private static let name = JudgeRig.cookieName

    /// What is found, as the slow reading says it.
    private func found(_ lines: [String]) throws -> CookieField.Found {
        let name = Array(Self.name.utf8)
        let outcome = judged(
            ["GET / HTTP/1.1", "Host: shop.example"] + lines.map { "Cookie: \($0)" }
        ) { head throws(Refused) -> CookieField.Found in
            switch head.sessionCookie(named: name.span) {
            case .none: .none
            case .one(let range): .one([UInt8](copying: head.text(range)))
            case .chunks(let value): .one(value)
            case .repeated: .repeated
            }
        }
        guard case .passed(let found) = outcome else { throw JudgeRig.NotAHead() }
        return found
    }

    /// What all lines say together, read slowly.
    private func slowly(_ lines: [String]) -> CookieField.Found {
        let field = Array(lines.joined(separator: "; ").utf8)
        return switch CookieField.value(of: Self.name, in: field.span) {
        case .one(let value) where value.isEmpty: .none
        case let found: found
        }
    }

    private func value(_ lines: String...) throws -> String? {
        guard case .one(let value) = try found(lines) else { return nil }
        return String(decoding: value, as: UTF8.self)
    }

    @Test(.holds("SC-06")) func `is found in whichever line and place`() throws {
        #expect(try value("\(Self.name)=abc") == "abc")
        #expect(try value("a=1; \(Self.name)=abc") == "abc")
        #expect(try value("\(Self.name)=abc;b=2") == "abc")
        #expect(try value("a=1", "\(Self.name)=abc", "b=2") == "abc")
        #expect(try value(";;  \(Self.name)=a=b==;") == "a=b==")
        #expect(try value("\(Self.name)=abc ; b=2") == "abc")
        #expect(try value("\(Self.name) =abc") == "abc")
        #expect(try value("x\(Self.name)=no; \(Self.name)=abc; \(Self.name)ping=no") == "abc")
    }

    @Test(.refuses("SC-06")) func `is none under another name, or without a value`() throws {
        for line in [
            "a=1", "x\(Self.name)=abc", "a=\(Self.name)=abc", "\(Self.name)", "\(Self.name)=", "\(Self.name)x=abc",
            "\(Self.name).1=abc", Self.name.lowercased() + "=abc", ";", " ", "__Host-portcullis-sho=abc",
        ] {
            #expect(try found([line]) == .none, "\(line)")
        }
        #expect(try found([]) == .none)
    }

    @Test(.holds("SC-06"), .refuses("SC-06"))
    func `counts for nothing when there are two, or something else has its name`() throws {
        let good = "\(Self.name)=abc"
        for other in ["\(Self.name)=def", good, "\(Self.name)=", Self.name, "\(Self.name) =x"] {
            for lines in [["\(good); \(other)"], ["\(other); \(good)"], [good, other], [other, good]] {
                #expect(try found(lines) == .repeated, "\(lines)")
            }
        }
    }

    @Test(.holds("SC-07")) func `is joined from its chunks, of whichever lines`() throws {
        let first = String(repeating: "a", count: SetCookie.limit - Self.name.utf8.count)
        let pair = ["\(Self.name)=\(first)", "\(Self.name).1=rest"]
        #expect(try found(pair) == .one(Array((first + "rest").utf8)))
        #expect(try found(pair.reversed()) == .one(Array((first + "rest").utf8)))
        #expect(try found([pair.joined(separator: "; ")]) == .one(Array((first + "rest").utf8)))
        #expect(try found(["\(Self.name)=short", pair[1]]) == .one(Array("short".utf8)))
    }

    /// The quick look and the slow one must never differ: what one takes for a session the other would not.
    @Test(.holds("SC-06")) func `is the same by the quick look and by the slow one, for whatever is sent`() throws {
        var numbers = Numbers(seed: 4)
        let parts = [
            Self.name, Self.name, "=", "=", ";", "; ", " ", "\t", ".1", ".2", ".4", "a", "abc", "\"", ",", "x=1",
            "__Host-",
            "__host-portcullis-shop", "é",
        ]
        for _ in 0..<20_000 {
            let lines = (0..<(1 + numbers.below(3))).map { _ in
                (0..<(1 + numbers.below(9))).map { _ in numbers.pick(parts) }.joined()
            }.map { $0.trimmingSpaces }.filter { !$0.isEmpty }
            #expect(try found(lines) == slowly(lines), "\(lines)")
        }
    }

    @Test(.holds("SC-06")) func `is the same for every cut of a field`() throws {
        let field = "a=1; \(Self.name)=abc; \(Self.name).1=x; b"
        for end in 0...field.utf8.count {
            let line = String(decoding: Array(field.utf8).prefix(end), as: UTF8.self).trimmingSpaces
            guard !line.isEmpty else { continue }
            #expect(try found([line]) == slowly([line]), "\(line)")
        }
    }
}

extension String {
    /// Without the white space around it, as field values are (RFC 9110 §5.5).
    fileprivate var trimmingSpaces: String {
        var text = self[...]
        while let first = text.first, first == " " || first == "\t" { text = text.dropFirst() }
        while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
        return String(text)
    }
}
