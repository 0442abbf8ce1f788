public import CEvent

/// One libevent registration, kept in place in its owner's memory and named by pointer.
///
/// A plain value so that a slab of connections can hold its events inline: registering costs no allocation and no
/// reference count. The memory must not move or be freed while the event is added. Wraps `struct event`.
public struct FileEvent {
    @usableFromInline var raw: event

    /// Called on the loop's thread with the descriptor, what happened, and the context given to `assign`.
    public typealias Callback = @convention(c) (Int32, Int16, UnsafeMutableRawPointer?) -> Void

    /// What to wait for.
    public struct Interest: OptionSet, Sendable {
        /// libevent's bits.
        public let rawValue: Int16
        /// Makes a set from libevent's bits.
        @inlinable public init(rawValue: Int16) { self.rawValue = rawValue }
        /// The descriptor has bytes or its peer has closed.
        public static let read = Interest(rawValue: Int16(EV_READ))
        /// The descriptor takes bytes.
        public static let write = Interest(rawValue: Int16(EV_WRITE))
        /// Stays registered after it fired.
        public static let persistent = Interest(rawValue: Int16(EV_PERSIST))
        /// The time given to `add(_:milliseconds:)` has passed.
        public static let timeout = Interest(rawValue: Int16(EV_TIMEOUT))
        /// `descriptor` is a signal number.
        public static let signal = Interest(rawValue: Int16(EV_SIGNAL))
    }

    /// An event that waits for nothing.
    public init() { raw = event() }

    /// Sets what the event waits for; it must not be added.
    ///
    /// Wraps `event_assign`.
    @inlinable
    public static func assign(
        _ slot: UnsafeMutablePointer<FileEvent>, _ base: OpaquePointer, _ descriptor: Int32, _ interest: Interest,
        _ callback: Callback, _ context: UnsafeMutableRawPointer?
    ) {
        event_assign(raw(slot), base, descriptor, interest.rawValue, callback, context)
    }

    /// Starts waiting.
    ///
    /// Wraps `event_add` without a timeout.
    @inlinable public static func add(_ slot: UnsafeMutablePointer<FileEvent>) { event_add(raw(slot), nil) }

    /// Starts waiting, and fires with `.timeout` when nothing happens for that long.
    ///
    /// Wraps `event_add`.
    @inlinable
    public static func add(_ slot: UnsafeMutablePointer<FileEvent>, milliseconds: Int) {
        var time = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
        event_add(raw(slot), &time)
    }

    /// Stops waiting.
    ///
    /// Wraps `event_del`.
    @inlinable public static func remove(_ slot: UnsafeMutablePointer<FileEvent>) { event_del(raw(slot)) }

    /// Fires in this loop's next turn as if ready, before what becomes ready only then.
    ///
    /// Wraps `event_active` and `event_base_loopcontinue`.
    @inlinable
    public static func activate(_ slot: UnsafeMutablePointer<FileEvent>, _ what: Interest = .timeout) {
        event_active(raw(slot), Int32(what.rawValue), 0)
        // libevent works its queue off to the end before it looks at descriptors again: an event that activates
        // itself would keep all others waiting. So it is told to look after the event in progress.
        event_base_loopcontinue(event_get_base(raw(slot)))
    }

    /// Fires once in this loop's next turn, behind all that is ready then; a time that it waited for is forgotten.
    ///
    /// Wraps `event_add` with a time that is over: libevent looks at times behind descriptors, and waits for neither.
    @inlinable public static func fireNextTurn(_ slot: UnsafeMutablePointer<FileEvent>) { add(slot, milliseconds: 0) }

    /// Whether the event has fired in this turn of the loop and its callback is still to come.
    @inlinable
    public static func isDue(_ slot: UnsafeMutablePointer<FileEvent>) -> Bool {
        Int32(slot.pointee.raw.ev_evcallback.evcb_flags) & EVLIST_ACTIVE != 0
    }

    @inlinable
    static func raw(_ slot: UnsafeMutablePointer<FileEvent>) -> UnsafeMutablePointer<event> {
        UnsafeMutableRawPointer(slot).assumingMemoryBound(to: event.self)
    }
}
