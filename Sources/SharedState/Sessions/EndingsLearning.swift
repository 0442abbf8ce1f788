/// Hears what other processes did to sessions (SH-39, SH-40); from any thread.
package protocol EndingsLearning: Sendable {
    /// Lines of the log, in their order.
    func learn(_ lines: [StoreLogLine], now: Int64)
    /// Lines may have been missed: everything that is known here is asked about before it is used again.
    func missedLines()
}

extension SharedSessionStore: EndingsLearning {}

extension MovingSessionStore: EndingsLearning {
    package func learn(_ lines: [StoreLogLine], now: Int64) { shared.learn(lines, now: now) }
    package func missedLines() { shared.missedLines() }
}
