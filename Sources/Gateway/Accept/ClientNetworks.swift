// SPDX-License-Identifier: Apache-2.0
import Crypto

/// How many connections each client has (HTTP-66): an IPv4 address, or an IPv6 /64.
///
/// Has a place for no more clients than there are connections, and frees its memory when the last one is gone. Where a
/// client's place is depends on a number that nobody outside knows, so that nobody can crowd one corner of the table.
struct ClientNetworks {
    private struct Place {
        var network: (UInt64, UInt64) = (0, 0)
        /// 0: the place is free.
        var count: UInt32 = 0
    }

    private static let smallest = 64
    private var places: UnsafeMutablePointer<Place>
    private var capacity = ClientNetworks.smallest
    /// Clients that have a connection.
    private(set) var clients = 0
    private let seed: UInt64

    init() {
        places = ClientNetworks.room(for: ClientNetworks.smallest)
        seed = RandomBytes.fill(8).reduce(1) { $0 << 8 | UInt64($1) }
    }

    func destroy() { places.deallocate() }

    /// How many connections the client has.
    func count(of network: (UInt64, UInt64)) -> Int { Int(places[place(of: network)].count) }

    /// One connection more.
    mutating func add(_ network: (UInt64, UInt64)) {
        var index = place(of: network)
        if places[index].count == 0 {
            if (clients + 1) * 2 > capacity {
                resize(capacity * 2)
                index = place(of: network)
            }
            places[index].network = network
            clients += 1
        }
        places[index].count += 1
    }

    /// One connection less.
    mutating func remove(_ network: (UInt64, UInt64)) {
        let index = place(of: network)
        guard places[index].count > 0 else { return }
        places[index].count -= 1
        guard places[index].count == 0 else { return }
        clients -= 1
        if clients == 0, capacity > ClientNetworks.smallest { return resize(ClientNetworks.smallest) }
        close(index)
    }

    /// Fills the gap with whoever was put behind it for want of a place, so that everybody is found again.
    private mutating func close(_ gap: Int) {
        let mask = capacity - 1
        var gap = gap
        var index = (gap + 1) & mask
        while places[index].count > 0 {
            let home = home(of: places[index].network)
            // Stays where it is when its own place lies between the gap and it.
            if (index &- home) & mask >= (index &- gap) & mask {
                places[gap] = places[index]
                places[index].count = 0
                gap = index
            }
            index = (index + 1) & mask
        }
    }

    private mutating func resize(_ size: Int) {
        let (old, count) = (places, capacity)
        places = ClientNetworks.room(for: size)
        capacity = size
        for index in 0..<count where old[index].count > 0 { places[place(of: old[index].network)] = old[index] }
        old.deallocate()
    }

    /// The client's place, or the free one that would be its own.
    private func place(of network: (UInt64, UInt64)) -> Int {
        var index = home(of: network)
        while places[index].count > 0, places[index].network != network { index = (index + 1) & (capacity - 1) }
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
