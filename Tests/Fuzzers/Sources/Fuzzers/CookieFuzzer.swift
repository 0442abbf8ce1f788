/// What browsers send back: the Cookie field, and sealed sessions and login transactions in it.
///
/// The first byte says how the rest is read: `h` a field, `v` a session cookie's value, `l` a field for the callback of the
/// state `state`, `r` a return target, `s` and `t` a session and a transaction as they are before they are sealed — no
/// mutation passes a seal, so what is behind it is reached from here alone.
enum CookieFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        let rest = Array(input.dropFirst())
        return switch input.first {
        case UInt8(ascii: "h"): field(rest)
        case UInt8(ascii: "v"): value(rest)
        case UInt8(ascii: "l"): login(rest)
        case UInt8(ascii: "r"): target(rest)
        case UInt8(ascii: "s"): session(rest)
        case UInt8(ascii: "t"): transaction(rest)
        default: .refused
        }
    }

    private static func field(_ bytes: [UInt8]) -> Outcome {
        let read = probe.read(field: bytes)
        hold(read == probe.read(field: bytes), "the same field says the same")
        hold(!read.isRepeated || read.value == nil, "of two cookies of one name neither is taken")
        if let place = read.place { hold(read.value == Array(bytes[place]), "a value is where it is said to be") }
        if let stripped = read.stripped {
            let again = probe.read(field: stripped)
            hold(again.value == nil && !again.isRepeated && again.stripped == nil, "nothing of ours is left")
            hold(stripped.count <= bytes.count * 3 / 2, "a field grows by no more than the spaces it lacked")
            hold(again.endedLogins == 0 && again.evicted.isEmpty, "no login's cookie is left")
        } else {
            hold(read.value == nil && !read.isRepeated, "what is ours is stripped")
        }
        hold(read.endedLogins <= 6 && read.nextEnded.utf8.count < 160, "a browser's memory stays small")
        hold(read.evicted.allSatisfy { $0.utf8.count == 32 }, "only login cookies are evicted")
        guard let value = read.value else { return .refused }
        if !value.contains(UInt8(ascii: ";")), value.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) { checkLines(value) }
        return .accepted
    }

    /// What is written is read back.
    private static func checkLines(_ value: [UInt8]) {
        let lines = probe.lines(value: value)
        // Longer than four cookies: nothing is written.
        guard !lines.isEmpty else { return }
        let pairs = lines.filter { !$0.hasSuffix("Max-Age=0") }.map { $0.prefix { $0 != ";" } }
        hold(probe.read(field: Array(pairs.joined(separator: "; ").utf8)).value == value, "a value is read as written")
    }

    private static func value(_ bytes: [UInt8]) -> Outcome {
        guard let plaintext = probe.open(bytes) else {
            hold(!probe.isSession(bytes), "what does not open is no session")
            return .refused
        }
        hold(known.contains(String(decoding: bytes, as: UTF8.self)), "nothing opens but what was sealed")
        hold(probe.session(plaintext: plaintext) == plaintext, "what was sealed is a session")
        return probe.isSession(bytes) ? .accepted : .refused
    }

    private static func login(_ bytes: [UInt8]) -> Outcome {
        guard probe.isTransaction(bytes, state: "state") else { return .refused }
        let text = String(decoding: bytes, as: UTF8.self)
        hold(known.contains { text.contains($0) }, "no login goes on but one that was begun")
        hold(!probe.isTransaction(bytes, state: "another"), "a login belongs to its state")
        return .accepted
    }

    private static func target(_ bytes: [UInt8]) -> Outcome {
        let target = probe.target(bytes)
        let text = Array(target.utf8)
        hold(text.first == UInt8(ascii: "/") && text.count <= 2048, "a target is a path")
        hold(text.count < 2 || text[1] != UInt8(ascii: "/"), "a target names no host")
        hold(text.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != 0x5c }, "a target stays on its line")
        hold(!target.lowercased().hasPrefix("/.portcullis/"), "a target is none of our endpoints")
        hold(probe.target(text) == target, "what was accepted is accepted again")
        return text.count == 1 ? .refused : .accepted
    }

    private static func session(_ bytes: [UInt8]) -> Outcome {
        guard let encoded = probe.session(plaintext: bytes) else { return .refused }
        hold(probe.session(plaintext: encoded) == encoded, "a session is read as it was written")
        guard let sealed = try? probe.seal(bytes) else { return .refused }
        if sealed.count <= 16_384 { hold(probe.open(sealed) == bytes, "what is sealed opens") }
        return .accepted
    }

    private static func transaction(_ bytes: [UInt8]) -> Outcome {
        guard let encoded = probe.transaction(plaintext: bytes) else { return .refused }
        hold(probe.transaction(plaintext: encoded) == encoded, "a transaction is read as it was written")
        return .accepted
    }

    private static let probe: CookieProbe = {
        guard let probe = try? CookieProbe() else { fatalError("the keys are keys") }
        return probe
    }()

    /// The values that were ever sealed with the probe's key and are seeds.
    private static let known: Set<String> = [
        """
        ATiqsdaxWhDBWBD0O3vj0gekTZ5p73Wd0PKv2OLVEogEaJzEmZwe3AX04OKWRCHC8aYK0WjN6vkmWv5nUnNgn87CA7jpPW6PRKv2\
        4O1p7ZkWqjl0yv5B5uyr7Bib9zCWXv6HXmaCse7HDysDJ6Qz_GC30nkqLG74O2dk70iOj13d6X0W2xi-eX8Rzi11YQPEtxlf6IpH\
        1zNYQmWp1yp0zVV64Y8B9TgU418CX3toH7n93wCc-yj1d39WYlnBIUkhoukcDNcMcJMYziss3xhzxSeuZnPDYqMJ-XFXN8TM9JZk\
        wluZh8nzB4bDlZSa
        """,
        """
        ARBtdWwBdGyF-WCnVuwKxjhGRvQ4P-4_KbayG11eFOPiIg3Ppo8JDra1xqs77Wmm8CCyLZsPVN-xA43qRunMIoaKmV31KXoZ4-Uf\
        gz-Ar0q_9PJRGg
        """,
    ]
}
