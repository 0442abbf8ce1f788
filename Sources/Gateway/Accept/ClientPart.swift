/// What one client's connection needs beside its socket: one thing at a time, in memory that it borrows.
///
/// Thousands of connections that wait have none, and a place for each kind would be room in all of them. In one word: what
/// is borrowed lies at multiples of eight, and the three bits below say what it is.
struct ClientPart {
    private enum Kind: UInt { case none, undecided, discard, session, stream }

    private let word: UInt
    private static var bits: UInt { 7 }

    private init(_ place: UnsafeMutableRawPointer?, _ kind: Kind) {
        let address = UInt(bitPattern: place)
        precondition(address & ClientPart.bits == 0, "what a connection borrows lies at a multiple of eight")
        word = address | kind.rawValue
    }

    static var none: ClientPart { ClientPart(nil, .none) }

    /// Nothing yet: its first bytes may be those of HTTP/2.
    static var undecided: ClientPart { ClientPart(nil, .undecided) }

    /// Framing of what is read away in `discardingBody`.
    static func discard(_ body: UnsafeMutablePointer<BodyCounter>) -> ClientPart { ClientPart(body, .discard) }

    /// The streams of a connection that speaks HTTP/2.
    static func session(_ session: UnsafeMutablePointer<HTTP2Session>) -> ClientPart { ClientPart(session, .session) }

    /// The stream that stands for a connection.
    static func stream(_ stream: UnsafeMutablePointer<HTTP2Stream>) -> ClientPart { ClientPart(stream, .stream) }

    var discard: UnsafeMutablePointer<BodyCounter>? { place(.discard)?.assumingMemoryBound(to: BodyCounter.self) }

    var session: UnsafeMutablePointer<HTTP2Session>? { place(.session)?.assumingMemoryBound(to: HTTP2Session.self) }

    var stream: UnsafeMutablePointer<HTTP2Stream>? { place(.stream)?.assumingMemoryBound(to: HTTP2Stream.self) }

    /// Whether its first bytes may be those of HTTP/2.
    var isUndecided: Bool { word == Kind.undecided.rawValue }

    /// Whether it is a stream: it has no socket, and its connection is another one.
    var isStream: Bool { word & ClientPart.bits == Kind.stream.rawValue }

    private func place(_ kind: Kind) -> UnsafeMutableRawPointer? {
        word & ClientPart.bits == kind.rawValue ? UnsafeMutableRawPointer(bitPattern: word & ~ClientPart.bits) : nil
    }
}
