import Bytes
import Crypto
import Refusals
import Sessions
import SharedState
import Synchronization

/// Request objects that the authorization server fetches here, each for two minutes (RFC 9101 §5.2; JAR-20 … JAR-23).
///
/// In memory and bounded; who knows the name gets the object, and nobody else (RFC 9101 §10.2(d)). The name is a keyed
/// hash of the login's state: nobody outside can compute it, and the callback finds its object again without having to
/// remember the name.
///
/// Where replicas have a store in common, an object is there, for the server may fetch it at another replica than the
/// one that made it (SH-64). Room is counted here all the same: it is what one process may have there.
final class HostedRequests: Sendable {
    fileprivate struct Object {
        /// Nil for one that is in the store.
        let bytes: [UInt8]?
        let count: Int
        /// Of one that is in the store.
        let name: String
        let until: Int64
        var fetches = 0
    }

    fileprivate struct State {
        /// By the hash of their names.
        var objects: [SHA256Digest: Object] = [:]
        /// Which network's login each is for.
        var shares = HolderShares()
        /// In the order of their end, for clearing them away; some are gone already.
        var order: [(object: SHA256Digest, until: Int64)] = []
        var first = 0
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
    static func path(_ name: String) -> String { OwnPaths.prefix + "/request/" + name }

    /// Keeps an object for the login with this state, which `peer` begins; the last segment of its URL, nil when there is
    /// no room.
    ///
    /// Anybody can begin logins, ask for what is kept for them, and so fill the room for ever: then the oldest object of
    /// the network goes that has most of them, whether a server has asked for it or not. The logins of others go on, and
    /// nobody loses their only object to somebody else.
    func publish(_ object: [UInt8], state: String, peer: String, at milliseconds: Int64) -> String? {
        guard let name = name(of: state) else { return nil }
        return take(object.count, object, as: name, peer: peer, at: milliseconds) == nil ? nil : name
    }

    /// The same in the store, for a server that fetches at any replica.
    func publish(
        _ object: [UInt8], state: String, peer: String, in shared: SharedLogins, at milliseconds: Int64
    ) async throws(StoreRefusal) -> String? {
        let name = shared.objectName(state: Array(state.utf8))
        guard let yielded = take(object.count, nil, as: name, peer: peer, at: milliseconds) else { return nil }
        for name in yielded { await shared.removeObject(name) }
        do throws(StoreRefusal) {
            if try await shared.host(object, as: name, milliseconds: Self.lifetimeMilliseconds) { return name }
        } catch {
            self.state.withLock { $0.remove(Self.hash(of: name)) }
            throw error
        }
        self.state.withLock { $0.remove(Self.hash(of: name)) }
        return nil
    }

    /// Takes room for an object, which is kept here if there are bytes; the names of those in the store that give way,
    /// nil when there is no room.
    private func take(
        _ count: Int, _ bytes: [UInt8]?, as name: String, peer: String, at milliseconds: Int64
    ) -> [String]? {
        let hash = Self.hash(of: name)
        let network = SHA256.hash(AddressBudget.network(of: peer).utf8Span.span)
        return state.withLock { state in
            state.clear(at: milliseconds)
            guard state.objects[hash] == nil,
                let yielded = state.makeRoom(for: count, of: network, limit: limit, byteLimit: byteLimit)
            else { return nil }
            let until = milliseconds + Self.lifetimeMilliseconds
            state.objects[hash] = Object(bytes: bytes, count: count, name: name, until: until)
            state.shares.add(hash, holder: network)
            state.order.append((hash, until))
            state.byteCount += count
            return yielded
        }
    }

    /// Forgets the object of a login that has come back (JAR-22).
    func remove(state: String) {
        guard let name = name(of: state) else { return }
        self.state.withLock { $0.remove(Self.hash(of: name)) }
    }

    /// The same, of one that may be in the store.
    func remove(state: String, in shared: SharedLogins?) async {
        remove(state: state)
        guard let shared else { return }
        let bytes = Array(state.utf8)
        self.state.withLock { $0.remove(Self.hash(of: shared.objectName(state: bytes))) }
        await shared.removeObject(state: bytes)
    }

    /// Gives the memory back of what has expired; to be called now and then, for nobody may publish any more.
    func sweep(at milliseconds: Int64) { state.withLock { $0.clear(at: milliseconds) } }

    /// Answers a fetch of `request/<id>`: to anybody who knows the name, without regard to cookies (JAR-23).
    ///
    /// An object that there is goes out however much its fetcher's address has guessed: it may be a balancer's.
    func answer(_ request: LoginRequest, at milliseconds: Int64) -> LoginAnswer {
        guard case .requestObject(let name) = request.endpoint else { return Self.unknown }
        guard request.method == .get || request.method == .head else {
            return .methodNotAllowed("GET, HEAD", check: "JAR-21")
        }
        let bytes = state.withLock { $0.fetch(Self.hash(of: name), counts: request.method == .get, at: milliseconds) }
        if let bytes { return LoginAnswer(.document(type: Self.mediaType, bytes: bytes)) }
        return missing(for: request.peer, at: milliseconds)
    }

    /// The same, where the object may be in the store.
    func answer(_ request: LoginRequest, in shared: SharedLogins?, at milliseconds: Int64) async -> LoginAnswer {
        guard let shared, case .requestObject(let name) = request.endpoint,
            request.method == .get || request.method == .head, !state.withLock({ $0.isHere(Self.hash(of: name)) })
        else { return answer(request, at: milliseconds) }
        do throws(StoreRefusal) {
            let bytes = try await shared.object(name, limit: Self.fetchLimit, counts: request.method == .get)
            if let bytes { return LoginAnswer(.document(type: Self.mediaType, bytes: bytes)) }
        } catch {
            return LoginAnswer(
                .refused(
                    .storeUnavailable,
                    detail: RefusalDetail(
                        expected: "the store's word on a request object", found: "no answer that counts",
                        check: "SH-64")), fields: [("Retry-After", "1")])
        }
        return missing(for: request.peer, at: milliseconds)
    }

    private func missing(for peer: String, at milliseconds: Int64) -> LoginAnswer {
        guard budget.isLeft(to: peer, at: milliseconds) else {
            return LoginAnswer(
                .refused(
                    .loginRequestsTooMany,
                    detail: RefusalDetail(
                        expected: "few fetches of objects that are not there", found: "too many from one address",
                        check: "JAR-23")), fields: [("Retry-After", "5")])
        }
        budget.charge(peer, at: milliseconds)
        return Self.unknown
    }

    /// Objects held.
    var count: Int { state.withLock { $0.objects.count } }

    /// One answer for all that is not there: never there, expired, fetched too often, or its login is over (JAR-21).
    private static let unknown = LoginAnswer(
        .refused(
            .requestObjectUnknown,
            detail: RefusalDetail(
                expected: "a request object that is hosted here", found: "none, or none any more", check: "JAR-21")))

    private static func hash(of name: String) -> SHA256Digest { SHA256.hash(name.utf8Span.span) }

    /// 256 bits in 43 characters; nil only where the hash cannot be keyed.
    private func name(of state: String) -> String? {
        guard let mac = try? MAC(.sha256, key: key) else { return nil }
        let utf8 = state.utf8Span
        return Base64URL.encode(mac.authenticate(utf8.span).span)
    }
}

extension HostedRequests.State {
    fileprivate mutating func fetch(_ hash: SHA256Digest, counts: Bool, at milliseconds: Int64) -> [UInt8]? {
        guard let object = objects[hash], let bytes = object.bytes, milliseconds < object.until,
            object.fetches < HostedRequests.fetchLimit
        else { return nil }
        if counts { objects[hash]?.fetches += 1 }
        return bytes
    }

    fileprivate func isHere(_ hash: SHA256Digest) -> Bool { objects[hash]?.bytes != nil }

    fileprivate mutating func remove(_ hash: SHA256Digest) {
        guard let object = objects.removeValue(forKey: hash) else { return }
        shares.remove(hash)
        byteCount -= object.count
    }

    /// Clears away what has expired; each object costs one step in its life.
    fileprivate mutating func clear(at milliseconds: Int64) {
        while first < order.count, order[first].until <= milliseconds {
            remove(order[first].object)
            first += 1
        }
        if first == order.count {
            // What a flood took is given back with it.
            guard first > 0 else { return }
            (objects, shares, order, first) = ([:], HolderShares(), [], 0)
        } else if first > 1024 {
            order.removeFirst(first)
            first = 0
        }
    }

    /// Has the oldest of whoever has most give way until there is room; nil when nobody is to, and otherwise the names of
    /// those in the store that did.
    fileprivate mutating func makeRoom(
        for bytes: Int, of network: SHA256Digest, limit: Int, byteLimit: Int
    ) -> [String]? {
        guard bytes <= byteLimit, limit > 0 else { return nil }
        var yielded: [String] = []
        while objects.count >= limit || byteCount + bytes > byteLimit {
            guard let yielding = shares.yielding(to: network) else { return nil }
            if let object = objects[yielding.thing], object.bytes == nil { yielded.append(object.name) }
            remove(yielding.thing)
        }
        // What was pushed out would pile up here until its time is over.
        if order.count - first > 2 * limit {
            order = order[first...].filter { objects[$0.object] != nil }
            first = 0
        }
        return yielded
    }
}
