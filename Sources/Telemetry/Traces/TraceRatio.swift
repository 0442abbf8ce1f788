/// Which part of all traces is sampled, decided by a trace's id alone: whoever asks of one trace hears the same.
///
/// The last seven bytes of an id are random in every trace (W3C Trace Context Level 2 §4.1). A trace is sampled when they
/// are at least a bound, as OpenTelemetry's consistent probability sampling has it: of two ratios the larger one samples
/// all that the smaller one does.
package struct TraceRatio: Sendable, Equatable {
    /// The smallest random part that is sampled; 2⁵⁶ samples none.
    private let least: UInt64

    /// So many of a million traces.
    package init(millionths: Int) {
        let millionths = UInt64(min(max(millionths, 0), 1_000_000))
        let all = UInt64(1) << 56
        let (high, low) = all.multipliedFullWidth(by: millionths)
        least = all - UInt64(1_000_000).dividingFullWidth((high, low)).quotient
    }

    /// Whether the trace of this id is sampled.
    package func samples(_ trace: UInt128) -> Bool { UInt64(truncatingIfNeeded: trace) & (1 << 56 - 1) >= least }
}
