import Crypto
import Rates

/// What each client has of that which all clients share (HTTP-66, OPS-05): an IPv4 address, or an IPv6 /64.
///
/// Has a place for no more clients than hold something now, and for a bounded number of those whose rate has not
/// recovered; frees its memory when the last one is gone. Where a client's place is depends on a number that nobody
/// outside knows, so that nobody can crowd one corner of the table.
struct ClientNetworks {
    /// What is counted.
    enum Holding: Int, CaseIterable {
        case connections
        /// Connections whose TLS handshake has not ended.
        case handshakes
        /// Starts and callbacks of logins that are being answered.
        case logins
        /// Bytes of their bodies that are not complete yet.
        case loginBytes
        /// Other requests to the paths of logins that are being answered: logouts, sessions, what servers say.
        case upkeep
        /// Bytes of their bodies that are not complete yet.
        case upkeepBytes
        /// Requests to the paths of logins that wait for one of these places.
        case queued
        /// Requests that wait for an authorization server.
        case waiting
        /// Bytes of requests that may have to be sent to another server.
        case held
    }

    /// What a client may do so often.
    enum Rated: Int, CaseIterable {
        /// Starts of logins.
        case logins
        /// Callbacks, apart from starts: who was let in by a start is let back in, however many others begin.
        case callbacks
        /// Refusals that are answered at once.
        case refusals
        /// New TLS connections.
        case handshakes
        /// Connections of HTTP/2 that were told to calm down.
        case calms
        /// Tokens and proofs that were verified in vain.
        case failedVerifications
    }

    private struct Place {
        var network: (UInt64, UInt64) = (0, 0)
        var held = InlineArray<9, UInt32>(repeating: 0)
        var isUsed = false
        /// What the client has taken of each of its rates, by microseconds of the monotonic clock.
        var buckets = InlineArray<6, TokenBucket>(repeating: TokenBucket())

        var isRemembered: Bool {
            for index in buckets.indices where !buckets[index].isNew { return true }
            return false
        }

        /// Whether each of its rates has recovered.
        func hasRecovered(at now: UInt64) -> Bool {
            for index in buckets.indices where !buckets[index].isFull(at: now) { return false }
            return true
        }

        var holdsNothing: Bool {
            for index in held.indices where held[index] > 0 { return false }
            return true
        }
    }

    private static let smallest = 64
    /// Clients that are remembered for their rate.
    ///
    /// Beyond it a client is granted what it asks for and not remembered: so many others with a rate of their own each
    /// are not held up by its one.
    static let rememberedLimit = 16_384
    private var places: UnsafeMutablePointer<Place>
    private var capacity = ClientNetworks.smallest
    /// Clients that have a place.
    private(set) var clients = 0
    /// Those of them whose rate may not have recovered.
    private(set) var remembered = 0
    /// Where the next look for recovered ones begins.
    private var cursor = 0
    private let seed: UInt64

    init() {
        places = ClientNetworks.room(for: ClientNetworks.smallest)
        seed = RandomBytes.fill(8).reduce(1) { $0 << 8 | UInt64($1) }
    }

    func destroy() { places.deallocate() }

    /// How much of it the client has.
    func count(of network: (UInt64, UInt64), _ holding: Holding = .connections) -> Int {
        Int(places[place(of: network)].held[holding.rawValue])
    }

    /// So much more.
    mutating func add(_ network: (UInt64, UInt64), _ holding: Holding = .connections, _ amount: Int = 1) {
        guard amount > 0 else { return }
        let index = ownPlace(of: network)
        places[index].held[holding.rawValue] += UInt32(clamping: amount)
    }

    /// So much less.
    mutating func remove(_ network: (UInt64, UInt64), _ holding: Holding = .connections, _ amount: Int = 1) {
        let index = place(of: network)
        let held = places[index].held[holding.rawValue]
        guard held > 0, amount > 0 else { return }
        places[index].held[holding.rawValue] = held - min(held, UInt32(clamping: amount))
        if places[index].holdsNothing, !places[index].isRemembered { free(index) }
    }

    /// Takes one of what the client may do in a while; in how many microseconds it may when not now, else 0.
    mutating func take(
        _ network: (UInt64, UInt64), _ rated: Rated = .logins, at now: UInt64, _ rate: TokenRate
    ) -> UInt64 {
        let found = place(of: network)
        let wait = places[found].buckets[rated.rawValue].wait(at: now, rate)
        guard wait == 0 else { return wait }
        guard places[found].isRemembered || remembered < ClientNetworks.rememberedLimit else { return 0 }
        let index = ownPlace(of: network)
        if !places[index].isRemembered { remembered += 1 }
        places[index].buckets[rated.rawValue].take(at: now, rate)
        return 0
    }

    /// In how many microseconds the client may do that; 0 when it may now.
    func wait(_ network: (UInt64, UInt64), _ rated: Rated, at now: UInt64, _ rate: TokenRate) -> UInt64 {
        places[place(of: network)].buckets[rated.rawValue].wait(at: now, rate)
    }

    /// Forgets clients whose rate has recovered, as far as some looks find them; to be called now and then.
    mutating func forgetRecovered(at now: UInt64, looks: Int = 4096) {
        var left = min(looks, 2 * capacity)
        while left > 0, remembered > 0 {
            left -= 1
            cursor = (cursor + 1) & (capacity - 1)
            guard places[cursor].isRemembered, places[cursor].hasRecovered(at: now) else { continue }
            places[cursor].buckets = InlineArray(repeating: TokenBucket())
            remembered -= 1
            guard places[cursor].holdsNothing else { continue }
            free(cursor)
            // Somebody else may be in this place now.
            cursor = (cursor &- 1) & (capacity - 1)
        }
    }

    /// The client's place, which is its own from now on.
    private mutating func ownPlace(of network: (UInt64, UInt64)) -> Int {
        var index = place(of: network)
        guard !places[index].isUsed else { return index }
        if (clients + 1) * 2 > capacity {
            resize(capacity * 2)
            index = place(of: network)
        }
        places[index] = Place(network: network, isUsed: true)
        clients += 1
        return index
    }

    private mutating func free(_ index: Int) {
        places[index] = Place()
        clients -= 1
        if clients == 0, capacity > ClientNetworks.smallest { return resize(ClientNetworks.smallest) }
        close(index)
    }

    /// Fills the gap with whoever was put behind it for want of a place, so that everybody is found again.
    private mutating func close(_ gap: Int) {
        let mask = capacity - 1
        var gap = gap
        var index = (gap + 1) & mask
        while places[index].isUsed {
            let home = home(of: places[index].network)
            // Stays where it is when its own place lies between the gap and it.
            if (index &- home) & mask >= (index &- gap) & mask {
                places[gap] = places[index]
                places[index] = Place()
                gap = index
            }
            index = (index + 1) & mask
        }
    }

    private mutating func resize(_ size: Int) {
        let (old, count) = (places, capacity)
        places = ClientNetworks.room(for: size)
        capacity = size
        cursor = 0
        for index in 0..<count where old[index].isUsed { places[place(of: old[index].network)] = old[index] }
        old.deallocate()
    }

    /// The client's place, or the free one that would be its own.
    private func place(of network: (UInt64, UInt64)) -> Int {
        var index = home(of: network)
        while places[index].isUsed, places[index].network != network { index = (index + 1) & (capacity - 1) }
        return index
    }

    private func home(of network: (UInt64, UInt64)) -> Int {
        var hash = mix(network.0 ^ seed)
        hash = mix(hash ^ network.1 &+ seed)
        return Int(truncatingIfNeeded: hash >> 16) & (capacity - 1)
    }

    private func mix(_ word: UInt64) -> UInt64 {
        let product = word.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }

    private static func room(for count: Int) -> UnsafeMutablePointer<Place> {
        let room = UnsafeMutablePointer<Place>.allocate(capacity: count)
        room.initialize(repeating: Place(), count: count)
        return room
    }
}
