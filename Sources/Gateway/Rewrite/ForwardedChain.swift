/// The addresses that a trusted proxy wrote into `X-Forwarded-For`, the last one first.
///
/// A stranger may have written all of the field but its end, and no chain of proxies is long: what stands before the last
/// sixteen addresses, before 32 members or before one of more than 128 bytes is dropped without being looked at. Of members
/// some may be empty, as RFC 9110 §5.6.1.2 wants.
struct ForwardedChain {
    /// Addresses that are kept; elements of `Forwarded` too.
    static var addressLimit: Int { 16 }
    /// Members that are looked at, the empty ones among them.
    static var memberLimit: Int { 32 }
    /// Bytes of one member, white space among them; an address in brackets with its port has 53 at most.
    static var memberLength: Int { 128 }

    /// How many addresses there are.
    private(set) var count = 0
    private var addresses = InlineArray<16, PeerAddress>(repeating: PeerAddress())

    /// Adds the address before those that are there; whether there is room for another one.
    mutating func append(_ address: PeerAddress) -> Bool {
        guard count < Self.addressLimit else { return false }
        addresses[count] = address
        count += 1
        return count < Self.addressLimit
    }

    subscript(_ index: Int) -> PeerAddress { addresses[index] }
}
