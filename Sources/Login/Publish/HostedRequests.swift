// SPDX-License-Identifier: Apache-2.0
import Bytes
import Crypto
import Synchronization

/// Request objects that the authorization server fetches here, each for two minutes (RFC 9101 §5.2; JAR-20 … JAR-23).
///
/// In memory and bounded; who knows the name gets the object, and nobody else (RFC 9101 §10.2(d)). The name is a keyed
/// hash of the login's state: nobody outside can compute it, and the callback finds its object again without having to
/// remember the name.
final class HostedRequests: Sendable {
    fileprivate struct Object {
        let bytes: [UInt8]
        let until: Int64
        var fetches = 0
    }

    fileprivate struct State {
        var objects: [String: Object] = [:]
        /// Names in the order of their end, for clearing them away; some are gone already.
        var order: [(name: String, until: Int64)] = []
        var first = 0
        /// Where in `order` to look next for one that nobody has fetched.
        var candidate = 0
        var byteCount = 0
    }

    private let state = Mutex(State())
    private let key: Secret
    private let limit: Int
    private let byteLimit: Int
    private let budget = AddressBudget(perSecond: 5, burst: 20)

    /// How long an object is there, in milliseconds (JAR-22).
    static let lifetimeMilliseconds: Int64 = 120_000
    /// How often an object can be fetched: servers read it before and after their login page (JAR-22).
    static let fetchLimit = 5
    /// The exact media type (RFC 9101 §10.2): some servers take no other spelling, not even with a parameter.
    static let mediaType = "application/oauth-authz-req+jwt"

    /// Room for so many objects, and for so many bytes of them.
    init(limit: Int = 32_768, byteLimit: Int = 32 << 20) {
        key = Secret(RandomBytes.fill(32))
        self.limit = limit
        self.byteLimit = byteLimit
    }

    /// The path of an object under the public URL, from what `publish` returned.
    static func path(_ name: String) -> String { "/.portcullis/request/" + name }

    /// Keeps an object for the login with this state; the last segment of its URL, nil when there is no room.
    ///
    /// Anybody can begin logins, and with some hundred a second would fill the room for ever: then the oldest object
    /// goes that no server has asked for yet. Servers ask at once, so that the logins of others go on; and where all
    /// have been asked for, new ones wait two minutes at most.
    func publish(_ object: [UInt8], state: String, at milliseconds: Int64) -> String? {
        guard let name = name(of: state) else { return nil }
        return self.state.withLock { state in
            state.clear(at: milliseconds)
            guard state.objects[name] == nil,
                state.makeRoom(for: object.count, limit: limit, byteLimit: byteLimit)
            else { return nil }
            let until = milliseconds + Self.lifetimeMilliseconds
            state.objects[name] = Object(bytes: object, until: until)
            state.order.append((name, until))
            state.byteCount += object.count
            return name
        }
    }

    /// Forgets the object of a login that has come back (JAR-22).
    func remove(state: String) {
        guard let name = name(of: state) else { return }
        self.state.withLock { $0.remove(name) }
    }

    /// Answers a fetch of `request/<id>`: to anybody who knows the name, without regard to cookies (JAR-23).
    ///
    /// An object that there is goes out however much its fetcher's address has guessed: it may be a balancer's.
    func answer(_ request: LoginRequest, at milliseconds: Int64) -> LoginAnswer {
        guard case .requestObject(let name) = request.endpoint else { return Self.unknown }
        guard request.method == .get || request.method == .head else {
            return .methodNotAllowed("GET, HEAD", check: "JAR-21")
        }
        let bytes = state.withLock { $0.fetch(name, counts: request.method == .get, at: milliseconds) }
        if let bytes { return LoginAnswer(.document(type: Self.mediaType, bytes: bytes)) }
        guard budget.isLeft(to: request.peer, at: milliseconds) else {
            return LoginAnswer(
                .refused(
                    .tooManyRequests,
                    detail: LoginDetail(
                        expected: "few fetches of objects that are not there", found: "too many from one address",
                        check: "JAR-23")), fields: [("Retry-After", "5")])
        }
        budget.charge(request.peer, at: milliseconds)
        return Self.unknown
    }

    /// Objects held.
    var count: Int { state.withLock { $0.objects.count } }

    /// One answer for all that is not there: never there, expired, fetched too often, or its login is over (JAR-21).
    private static let unknown = LoginAnswer(
        .refused(
            .requestObjectUnknown,
            detail: LoginDetail(
                expected: "a request object that is hosted here", found: "none, or none any more", check: "JAR-21")))

    /// 256 bits in 43 characters; nil only where the hash cannot be keyed.
    private func name(of state: String) -> String? {
        guard let mac = try? MAC(.sha256, key: key) else { return nil }
        let utf8 = state.utf8Span
        return Base64URL.encode(mac.authenticate(utf8.span).span)
    }
}

extension HostedRequests.State {
    fileprivate mutating func fetch(_ name: String, counts: Bool, at milliseconds: Int64) -> [UInt8]? {
        guard let object = objects[name], milliseconds < object.until, object.fetches < HostedRequests.fetchLimit
        else { return nil }
        if counts { objects[name]?.fetches += 1 }
        return object.bytes
    }

    fileprivate mutating func remove(_ name: String) {
        guard let object = objects.removeValue(forKey: name) else { return }
        byteCount -= object.bytes.count
    }

    /// Clears away what has expired; each object costs one step in its life.
    fileprivate mutating func clear(at milliseconds: Int64) {
        while first < order.count, order[first].until <= milliseconds {
            remove(order[first].name)
            first += 1
        }
        if first > 1024 || first == order.count {
            order.removeFirst(first)
            candidate = max(0, candidate - first)
            first = 0
        }
    }

    /// Pushes out the oldest that nobody has fetched, until there is room; false when there is none even so.
    fileprivate mutating func makeRoom(for bytes: Int, limit: Int, byteLimit: Int) -> Bool {
        guard bytes <= byteLimit, limit > 0 else { return false }
        while objects.count >= limit || byteCount + bytes > byteLimit {
            guard let name = nextUnfetched() else { return false }
            remove(name)
        }
        // Names of what was pushed out would pile up until their time is over.
        if order.count - first > 2 * limit {
            order = order[first...].filter { objects[$0.name] != nil }
            first = 0
            candidate = 0
        }
        return true
    }

    private mutating func nextUnfetched() -> String? {
        candidate = max(candidate, first)
        while candidate < order.count {
            let name = order[candidate].name
            candidate += 1
            if objects[name]?.fetches == 0 { return name }
        }
        return nil
    }
}
