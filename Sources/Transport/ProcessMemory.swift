private import CSocket

/// The memory of this process, as other processes of its user may see it.
public enum ProcessMemory {
    /// Shows it to nobody but root from now on: no core file, no debugger, no `/proc/PID/mem` or `/proc/PID/environ`.
    ///
    /// False when the kernel would not. Wraps `prctl(PR_SET_DUMPABLE)`.
    public static func hide() -> Bool { portcullis_forbid_dumps() == 0 }
}

/// What this process may do beside serving.
public enum ProcessPrograms {
    /// Gives up, for this thread and those that it starts, to run another program or to look into another process.
    ///
    /// Whoever makes a gateway run code of theirs finds no shell behind it (ECO-45). False when the kernel would not.
    /// Wraps `prctl(PR_SET_NO_NEW_PRIVS)` and Landlock, or `prctl(PR_SET_SECCOMP)` where there is none.
    public static func giveUp() -> Bool { portcullis_forbid_programs() == 0 }
}
