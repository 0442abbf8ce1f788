public import RESP

/// Takes commands for one server, and has their answers told: a link, or a script of a test.
///
/// Used on one loop's thread.
public protocol CommandSending: AnyObject {
    /// Takes a command, or refuses it at once and tells nothing more about it.
    ///
    /// `ticket` is the caller's own number, by which it knows the answer. `within` microseconds from its writing the answer
    /// must be there; 0 for the time that all have.
    func send(_ command: borrowing Command, ticket: UInt64, within: UInt64) -> SendOutcome
}

/// What has become of a command; lent for the call that tells it.
public enum Answer: ~Escapable {
    /// The server's reply, which is no error.
    case reply(Reply)
    /// The server's error, and its text, which a server may have put anything into.
    case refused(ServerRefusal, text: Span<UInt8>)
    /// Nobody knows: the time was over, or the connection ended. It may have been executed, now or later (SH-17).
    case unknown
    /// The connection ended before any of its bytes was sent: it was certainly not executed.
    case notSent
}

/// Hears what a link has to tell, on the loop's thread; outlives the link.
///
/// From each of its functions it may send commands, and stop the link.
public protocol LinkReceiving: AnyObject {
    /// The command with this ticket has been answered, or will not be.
    func linkAnswered(_ ticket: UInt64, _ answer: borrowing Answer)
    /// A step of the greeting has been answered as it must be.
    func linkGreeted(_ step: Int, _ reply: borrowing Reply)
    /// Commands are taken from now on.
    func linkOpened()
    /// Commands are not taken any more, or still not; what was in flight is told after this.
    func linkLost(_ loss: LinkLoss)
    /// Commands are about to leave in one write, in which what is sent from here leaves too, behind them.
    ///
    /// From this one it may send, and nothing else.
    func linkWillWrite()
}
