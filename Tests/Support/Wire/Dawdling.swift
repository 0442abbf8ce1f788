internal import Glibc

/// Does nothing for a while: the pace of a peer that is slow, where slowness is what the test tries.
///
/// A reader that takes a little every few milliseconds, a writer that pauses between its bytes. Never for something to
/// have happened in the meantime, which is a guess at the machine's speed: that is what `eventually`, `Watched.wait` and
/// a `Gate` are for. The touchstone: with a longer pause the test must say the same, only later.
package func dawdle(for pause: Duration) {
    // poll(2) without descriptors, which no signal of the test run's makes spin.
    _ = poll(nil, 0, Deadline.after(pause).milliseconds)
}
