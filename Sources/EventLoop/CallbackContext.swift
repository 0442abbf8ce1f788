/// What a C library hands to a callback: the pointer that the callback was registered with.
///
/// No callback is registered without one, so none is called without. C says of every pointer that it may be nil; here alone
/// that is looked at.
public enum CallbackContext {
    /// The place that the callback was registered with, which outlives it.
    @inlinable
    public static func place<Value: ~Copyable>(
        _ context: UnsafeMutableRawPointer?, of type: Value.Type
    ) -> UnsafeMutablePointer<Value> {
        pointer(context).assumingMemoryBound(to: type)
    }

    /// The object that the callback was registered with, which outlives it.
    @inlinable
    public static func object<Object: AnyObject>(_ context: UnsafeMutableRawPointer?, of type: Object.Type) -> Object {
        Unmanaged<Object>.fromOpaque(pointer(context)).takeUnretainedValue()
    }

    /// The object whose reference was given away with the callback, which is called once.
    @inlinable
    public static func takeObject<Object: AnyObject>(
        _ context: UnsafeMutableRawPointer?, of type: Object.Type
    ) -> Object {
        Unmanaged<Object>.fromOpaque(pointer(context)).takeRetainedValue()
    }

    @inlinable
    static func pointer(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer {
        guard let context else { preconditionFailure("a callback is registered with a context") }
        return context
    }
}
