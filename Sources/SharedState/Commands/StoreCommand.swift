/// One question to the store: the arguments it is made of, the key that says which server is asked, and what the answer
/// means.
///
/// Arguments are counted bytes, whatever is in them; nothing here has a format.
protocol StoreCommand: Sendable {
    associatedtype Outcome: Sendable

    var key: StoreName { get }
    /// The command's name and arguments, in order.
    func arguments(_ scripts: StoreScripts) -> [[UInt8]]
    /// What the answer says; refuses what is no answer to this.
    func outcome(of reply: StoreReply) throws(StoreRefusal) -> Outcome
}

/// How long something stays in the store, in milliseconds: always some time (SH-27).
struct TimeToLive: Sendable, Equatable {
    let milliseconds: Int64

    /// Ten years: what is longer would pass what the store can count.
    private static let longest: Int64 = 315_360_000_000

    /// A time of nothing, or less, would delete the key in the step that makes it: it becomes a millisecond.
    init(milliseconds: Int64) {
        self.milliseconds = min(max(1, milliseconds), TimeToLive.longest)
    }

    /// The same in seconds.
    init(seconds: Int64) {
        self.init(milliseconds: min(seconds, TimeToLive.longest) &* 1000)
    }

    var argument: [UInt8] { StoreNumber.text(milliseconds) }
}

extension [UInt8] {
    /// The letters of a command's name or an option of it.
    static func word(_ word: StaticString) -> [UInt8] { Array("\(word)".utf8) }
}
