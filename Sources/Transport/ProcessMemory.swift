private import CSocket

/// The memory of this process, as other processes of its user may see it.
public enum ProcessMemory {
    /// Shows it to nobody but root from now on: no core file, no debugger, no `/proc/PID/mem` or `/proc/PID/environ`.
    ///
    /// False when the kernel would not. Wraps `prctl(PR_SET_DUMPABLE)`.
    public static func hide() -> Bool { portcullis_forbid_dumps() == 0 }
}
