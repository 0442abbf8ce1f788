extension Duration {
    /// Whole seconds, as protocols count them; a part of one is left out, and what is beyond all numbers is the largest.
    public var wholeSeconds: Int { Int(clamping: components.seconds) }

    /// Whole milliseconds, as the loop's timers count them; likewise.
    public var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1000)
        guard !overflows else { return seconds < 0 ? .min : .max }
        return Int(clamping: whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000).partialValue)
    }
}
