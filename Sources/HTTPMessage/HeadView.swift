import Bytes

/// A checked request head beside the bytes that its ranges index, lent together for as long as a judgement takes.
///
/// Nothing is copied, counted or kept; what is asked for is a part of the same bytes.
public struct HeadView: ~Escapable {
    @usableFromInline let heads: Span<RequestHead>
    /// The head, and whatever came behind it.
    public let bytes: Span<UInt8>

    /// The first of `heads`, whose ranges index `bytes`.
    @inlinable
    @_lifetime(copy heads, copy bytes)
    public init(_ heads: Span<RequestHead>, _ bytes: Span<UInt8>) {
        self.heads = heads
        self.bytes = bytes
    }

    /// The bytes in this range.
    @inlinable
    @_lifetime(copy self)
    public func text(_ range: ByteRange) -> Span<UInt8> { bytes.extracting(Int(range.start)..<range.end) }

    /// The method as it was sent.
    @inlinable
    public var method: Span<UInt8> {
        @_lifetime(copy self) get { text(heads[0].method) }
    }

    /// Which method it is.
    @inlinable
    public var methodID: MethodID { heads[0].methodID }

    /// The target's form.
    @inlinable
    public var targetForm: TargetForm { heads[0].targetForm }

    /// The target's path, empty where it has none.
    @inlinable
    public var path: Span<UInt8> {
        @_lifetime(copy self) get { text(heads[0].path) }
    }

    /// Whether the target has a `?`.
    @inlinable
    public var hasQuery: Bool { heads[0].hasQuery }

    /// The target's query without `?`.
    @inlinable
    public var query: Span<UInt8> {
        @_lifetime(copy self) get { text(heads[0].query) }
    }

    /// Where the target's path is, with its query and the `?` between them; only where it has a path.
    @inlinable
    public var pathAndQueryRange: ByteRange {
        ByteRange(from: Int(heads[0].path.start), to: hasQuery ? heads[0].query.end : heads[0].path.end)
    }

    /// The target's authority, else the value of Host.
    @inlinable
    public var authority: Span<UInt8> {
        @_lifetime(copy self) get { text(heads[0].authority) }
    }

    /// How the body ends.
    @inlinable
    public var framing: BodyFraming { heads[0].framing }

    /// Whether it is a WebSocket handshake by its framing fields.
    @inlinable
    public var offersWebSocket: Bool { heads[0].offersWebSocket }

    /// How many options Connection names beside those that frame the message.
    @inlinable
    public var connectionNameCount: Int { heads[0].connectionNames.count }

    /// One of these options, as it was sent.
    @inlinable
    @_lifetime(copy self)
    public func connectionName(_ index: Int) -> Span<UInt8> { text(heads[0].connectionNames[index]) }

    /// How many field lines there are.
    @inlinable
    public var fieldCount: Int { heads[0].fields.count }

    /// How many field lines have this name.
    @inlinable
    public func count(of id: FieldID) -> Int { heads[0].fields.count(of: id) }

    /// The name of the field line at this place.
    @inlinable
    public func id(at index: Int) -> FieldID { heads[0].fields[index].id }

    /// The value of the field line at this place, without the whitespace around it.
    @inlinable
    @_lifetime(copy self)
    public func value(at index: Int) -> Span<UInt8> { text(heads[0].fields[index].value) }

    /// Where the value of the field line at this place is.
    @inlinable
    public func valueRange(at index: Int) -> ByteRange { heads[0].fields[index].value }

    /// Where the name of the field line at this place is.
    @inlinable
    public func nameRange(at index: Int) -> ByteRange { heads[0].fields[index].name }

    /// The place of the first line of this name; only where there is one.
    @inlinable
    public func firstIndex(of id: FieldID) -> Int { heads[0].fields.firstIndex(of: id) }

    /// The first of Authorization's lines; only where there is one.
    @inlinable
    public var authorizationIndex: Int { heads[0].authorizationIndex }

    /// How many Authorization lines there are.
    @inlinable
    public var authorizationCount: Int { heads[0].authorizationCount }

    /// What stands behind a WebSocket's offer.
    ///
    /// Throws what is wrong with it (RFC 6455 §4.2.1).
    @inlinable
    public func reading<Value, Failure: Error>(
        _ read: (borrowing RequestHead, Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try read(heads[0], bytes)
    }
}
