/// What a stream has to send just now.
public enum AvailableContent: Sendable {
    /// So many bytes are there, and `copy` is asked for no more than `most` of them next; where it `ends`, they are all.
    case bytes(Int, ends: Bool)
    /// Nothing yet: `resume` says when there is.
    case later
    /// The body has ended, without further bytes; with trailers, they were or will be given to `submitTrailers`.
    case ended(trailersFollow: Bool)
}

/// Where the bodies of a connection's streams come from: asked when there is window and room for them.
///
/// The functions are called inside `send`, and must not call the connection.
@unsafe
public struct ContentSource: Sendable {
    /// What the stream with this place has, of which at most so many bytes can be sent now.
    let available: @Sendable (_ place: UnsafeMutableRawPointer, _ most: Int) -> AvailableContent
    /// Copies exactly so many bytes, which are then sent.
    let copy: @Sendable (_ place: UnsafeMutableRawPointer, _ target: UnsafeMutablePointer<UInt8>, _ count: Int) -> Void

    /// A source of two functions, which should capture nothing: they are kept in memory that is not counted.
    public init(
        available: @escaping @Sendable (UnsafeMutableRawPointer, Int) -> AvailableContent,
        copy: @escaping @Sendable (UnsafeMutableRawPointer, UnsafeMutablePointer<UInt8>, Int) -> Void
    ) {
        unsafe self.available = available
        unsafe self.copy = copy
    }
}
