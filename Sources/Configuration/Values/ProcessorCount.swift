/// How many processors this process may use, from the kernel's own texts.
enum ProcessorCount {
    /// The smallest of the scheduler's affinity mask (`/proc/self/status`) and the quotas of the control groups
    /// (`cpu.max`), at least 1: a sidecar limited to one processor of sixty-four starts one worker.
    static func allowed(status: String?, quotas: [String], online: Int) -> Int {
        let masked = status.flatMap(inMask) ?? online
        return max(1, min(masked, quotas.compactMap(ofQuota).min() ?? masked))
    }

    /// The set bits of `Cpus_allowed:	00000000,00000003`.
    private static func inMask(_ status: String) -> Int? {
        let name = "Cpus_allowed:"
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return nil }
        let count = line.dropFirst(name.count).compactMap(\.hexDigitValue).map(\.nonzeroBitCount).reduce(0, +)
        return count > 0 ? count : nil
    }

    /// `150000 100000` is one and a half processors, for which two workers are started; `max 100000` is no quota.
    private static func ofQuota(_ text: String) -> Int? {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 2, let quota = Int(words[0]), let period = Int(words[1]), quota > 0, period > 0 else {
            return nil
        }
        return quota / period + (quota % period > 0 ? 1 : 0)
    }
}
