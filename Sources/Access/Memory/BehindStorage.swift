/// A record of one piece of memory: its storage at the beginning, and behind it what it lends.
///
/// Only for records, whose initialisers put there what they lend.
extension UnsafeMutablePointer {
    /// So many values, `offset` bytes behind the storage.
    @inlinable
    func behind<Element: BitwiseCopyable>(
        _ type: Element.Type, offset: Int = 0, count: Int
    ) -> UnsafeBufferPointer<Element> {
        let start = unsafe (UnsafeRawPointer(self + 1) + offset).assumingMemoryBound(to: Element.self)
        return unsafe UnsafeBufferPointer(start: start, count: count)
    }
}
