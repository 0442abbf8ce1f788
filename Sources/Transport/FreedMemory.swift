import CSocket

/// Memory that was freed and that the allocator keeps for what may come.
public enum FreedMemory {
    /// Gives it back to the system, in all threads.
    ///
    /// The allocator keeps what a burst needed for as long as the process runs, whenever something small that lives on
    /// lies above it. Takes milliseconds. Wraps `malloc_trim`.
    public static func giveBack() { portcullis_give_memory_back() }
}
