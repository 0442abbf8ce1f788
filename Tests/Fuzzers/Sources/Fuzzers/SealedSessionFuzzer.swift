import Crypto

@testable import Sessions
@testable import SharedState

/// What whoever writes to the shared store may put there, and what browsers send for it.
///
/// The first byte says how the rest is read: `v` a sealed value as it lies in the store, `s` a session as it is before it is
/// sealed, `c` a cookie's value, `l` kind, name and generation of a line of the log, a line each.
enum SealedSessionFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        let rest = Array(input.dropFirst())
        return switch input.first {
        case UInt8(ascii: "v"): value(rest)
        case UInt8(ascii: "s"): fields(rest)
        case UInt8(ascii: "c"): cookie(rest)
        case UInt8(ascii: "l"): line(rest)
        default: .refused
        }
    }

    private static func value(_ bytes: [UInt8]) -> Outcome {
        let opened = probe.open(bytes)
        switch opened {
        case .session(let session):
            hold(bytes == probe.known, "nothing opens but what was sealed")
            hold(session.id == probe.cookie.id && session.generation == 3, "a session is the one that was asked for")
            return .accepted
        case .unopened(let reason):
            hold(bytes.first.map { StoreFormat(rawValue: $0) != nil } ?? true, "no unknown version is none")
            let names = bytes.dropFirst().prefix(4)
            hold(
                (reason == .keyUnknown) == (bytes.count >= 33 && Array(names) != probe.keyID),
                "a key is unknown that the ring has not")
        case .unreadable(let version):
            hold(bytes.first == version, "the version is the first byte")
            // Fields that are not understood were sealed by us all the same.
            hold(StoreFormat(rawValue: version) == nil || probe.isStrange(bytes), "what is not ours is none")
        }
        hold(probe.open(bytes).isSession == opened.isSession, "the same value is the same")
        return .refused
    }

    private static func fields(_ bytes: [UInt8]) -> Outcome {
        guard let session = SessionCodec.decode(bytes, client: "probe") else { return .refused }
        guard session.id.count == SharedCookie.idLength else { return .refused }
        guard let cookie = SharedCookie(id: session.id, secret: probe.cookie.secret) else { return .refused }
        let name = probe.names.session(session.id)
        let nonce = [UInt8](repeating: 5, count: 12)
        guard let sealed = try? probe.seal.seal(session, secret: cookie.secret, under: name, nonce: nonce) else {
            return .refused
        }
        hold(sealed.count <= SessionSeal.limit, "nothing larger is kept")
        let opened = probe.seal.open(sealed, for: cookie, under: name, generation: session.generation)
        guard case .session(let found) = opened else { fatalError("what is sealed opens") }
        hold(SessionCodec.encode(found) == SessionCodec.encode(session), "a session is what it was")
        let other = probe.seal.open(sealed, for: cookie, under: name, generation: session.generation ^ 1)
        hold(!other.isSession, "no generation passes for another")
        return .accepted
    }

    private static func cookie(_ bytes: [UInt8]) -> Outcome {
        guard let cookie = SharedCookie(bytes.span) else { return .refused }
        hold(cookie.text == bytes, "a cookie has one spelling")
        hold(cookie.id.count == 16 && cookie.secret.count == 32, "a cookie is 48 bytes")
        return .accepted
    }

    private static func line(_ bytes: [UInt8]) -> Outcome {
        let parts = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { StoreReply.bytes(Array($0)) }
        guard parts.count == 3 else { return .refused }
        let words: [StoreReply] = ["k", "n", "g"].map { .bytes(Array($0.utf8)) }
        let fields = StoreReply.array([words[0], parts[0], words[1], parts[1], words[2], parts[2]])
        guard let line = StoreLogLine(fields: fields) else { return .refused }
        guard let name = probe.names.name(.session, suffix: line.suffix) else { fatalError("a line names something") }
        hold(StoreLogLine(line.kind, of: name, generation: line.generation) == line, "a line is read as it is written")
        hold(parts[2].bytes == StoreNumber.text(line.generation), "a number has one spelling")
        return .accepted
    }

    private static let probe: SealedSessionProbe = {
        guard let probe = try? SealedSessionProbe() else { fatalError("the keys are keys") }
        return probe
    }()
}

/// Opens values of a stranger with keys that everybody knows.
private struct SealedSessionProbe: Sendable {
    let names: StoreNames
    let seal: SessionSeal
    let cookie: SharedCookie
    let keyID: [UInt8]
    /// The one value that was ever sealed for the cookie at generation 3: of the seeds.
    let known: [UInt8]
    private let strange: [UInt8]

    init() throws(CryptoRefusal) {
        let ring = try StoreKeyRing([Secret([UInt8](repeating: 0x4b, count: 32))])
        names = StoreNames(prefix: "probe", ring: ring)
        seal = SessionSeal(ring: ring, client: "probe")
        keyID = ring.first.id
        let (id, secret) = ([UInt8](repeating: 9, count: 16), Secret([UInt8](repeating: 7, count: 32)))
        guard let cookie = SharedCookie(id: id, secret: secret) else { throw .keyLength }
        self.cookie = cookie
        known = SealedSessionProbe.seed("accepted-value")
        strange = SealedSessionProbe.seed("refused-value-with-strange-fields")
    }

    func open(_ value: [UInt8]) -> OpenedSession {
        seal.open(value, for: cookie, under: names.session(cookie.id), generation: 3)
    }

    func isStrange(_ value: [UInt8]) -> Bool { value == strange }

    private static func seed(_ name: String) -> [UInt8] {
        guard let seed = SeedFolder.inputs(in: "sealed-session", where: { $0 == name }).first else {
            fatalError("the seeds are where FUZZ_SEEDS says")
        }
        return Array(seed.dropFirst())
    }
}

extension OpenedSession {
    fileprivate var isSession: Bool { if case .session = self { true } else { false } }
}
