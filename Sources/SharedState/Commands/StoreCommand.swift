/// One question to the store: the arguments it is made of, the key that says which server is asked, and what the answer
/// means.
///
/// Arguments are counted bytes, whatever is in them; nothing here has a format.
package protocol StoreCommand: Sendable {
    /// What its answer says.
    associatedtype Outcome: Sendable

    /// Says which server is asked.
    var key: StoreName { get }
    /// Whether it may be sent again though it may have been executed (SH-17).
    var changesNothing: Bool { get }
    /// Whether anybody can have it asked who has proved nothing: it leaves half of the places to what others ask (SH-16).
    var leavesRoom: Bool { get }
    /// The command's name and arguments, in order.
    func arguments(_ scripts: StoreScripts) -> [[UInt8]]
    /// What the answer says; refuses what is no answer to this.
    func outcome(of reply: StoreReply) throws(StoreRefusal) -> Outcome
}

extension StoreCommand {
    /// Most commands change something.
    package var changesNothing: Bool { false }
    /// Most are asked for somebody who has a session, a token or a proof.
    package var leavesRoom: Bool { false }
}

/// How long something stays in the store, in milliseconds: always some time (SH-27).
package struct TimeToLive: Sendable, Equatable {
    package let milliseconds: Int64

    /// Ten years: what is longer would pass what the store can count.
    private static let longest: Int64 = 315_360_000_000

    /// A time of nothing, or less, would delete the key in the step that makes it: it becomes a millisecond.
    package init(milliseconds: Int64) {
        self.milliseconds = min(max(1, milliseconds), TimeToLive.longest)
    }

    /// The same in seconds.
    package init(seconds: Int64) {
        self.init(milliseconds: min(seconds, TimeToLive.longest) &* 1000)
    }

    var argument: [UInt8] { StoreNumber.text(milliseconds) }
}

extension [UInt8] {
    /// The letters of a command's name or an option of it.
    static func word(_ word: StaticString) -> [UInt8] { Array("\(word)".utf8) }
}
