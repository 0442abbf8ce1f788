import TestTraits
import Testing
import Transport

@testable import Gateway
@testable import Issuers

private func peer(_ literal: String) throws -> AskingClient {
    AskingClient(PeerAddress(try #require(SocketAddress(literal: literal, port: 443))).networkWords)
}

/// A budget with known keys, and how much of it is permitted to an address at a time.
private struct Trial {
    let budget: FailureBudget
    let keys: (UInt64, UInt64) = (0x9E37_79B9_7F4A_7C15, 0xD1B5_4A32_D192_ED03)

    /// What holds where the operator says nothing, unless another rate is given.
    init(perSecond: Int = FailureBudget.Rate().perSecond, burst: Int = FailureBudget.Rate().burst) {
        budget = FailureBudget(FailureBudget.Rate(perSecond: perSecond, burst: burst), keys: keys)
    }

    func permitted(of count: Int, for literal: String, at microseconds: UInt64) throws -> Int {
        let address = try peer(literal)
        var permitted = 0
        for _ in 0..<count where budget.isLeft(to: address, at: microseconds) {
            budget.charge(address, at: microseconds)
            permitted += 1
        }
        return permitted
    }
}

private let start: UInt64 = 1_000_000_000

@Suite struct `the budget for unknown tokens` {
    @Test(.holds("INT-07", "ECO-81")) func `caps a thousand tokens from one address at its burst`() throws {
        let trial = Trial()
        #expect(try trial.permitted(of: 1000, for: "192.0.2.1", at: start) == 100)
    }

    @Test(.holds("INT-07"), .refuses("INT-07")) func `permits fifty a second after that, and no more`() throws {
        let trial = Trial()
        _ = try trial.permitted(of: 1000, for: "192.0.2.1", at: start)
        #expect(try trial.permitted(of: 1, for: "192.0.2.1", at: start + 19_999) == 0)
        #expect(try trial.permitted(of: 5, for: "192.0.2.1", at: start + 20_000) == 1)
        var permitted = 0
        for step in 1...1000 {
            permitted += try trial.permitted(of: 10, for: "192.0.2.1", at: start + 20_000 + UInt64(step) * 10_000)
        }
        #expect(permitted == 500)
    }

    @Test(.holds("INT-07")) func `is whole again after a while of peace`() throws {
        let trial = Trial()
        _ = try trial.permitted(of: 1000, for: "192.0.2.1", at: start)
        #expect(try trial.permitted(of: 1000, for: "192.0.2.1", at: start + 2_000_000) == 100)
    }

    @Test(.refuses("INT-07", "ECO-81")) func `of one address is not another's`() throws {
        let trial = Trial()
        _ = try trial.permitted(of: 1000, for: "192.0.2.1", at: start)
        #expect(try trial.permitted(of: 1000, for: "192.0.2.2", at: start) == 100)
        #expect(try trial.permitted(of: 1000, for: "2001:db8::1", at: start) == 100)
    }

    @Test(.holds("INT-07")) func `of an IPv6 address is that of its 64 bits of network`() throws {
        let trial = Trial()
        _ = try trial.permitted(of: 60, for: "2001:db8:0:1::1", at: start)
        #expect(try trial.permitted(of: 1000, for: "2001:db8:0:1:ffff::2", at: start) == 40)
        #expect(try trial.permitted(of: 1000, for: "2001:db8:0:2::1", at: start) == 100)
    }

    @Test(.holds("INT-07")) func `of an IPv4 address written as IPv6 is its own`() throws {
        let trial = Trial()
        _ = try trial.permitted(of: 1000, for: "::ffff:192.0.2.1", at: start)
        #expect(try trial.permitted(of: 1000, for: "::ffff:192.0.2.2", at: start) == 100)
    }

    @Test(.refuses("INT-07")) func `is not spent by tokens that prove good, however many`() throws {
        let trial = Trial()
        let address = try peer("192.0.2.1")
        for _ in 0..<10_000 { #expect(trial.budget.isLeft(to: address, at: start)) }
        #expect(try trial.permitted(of: 1000, for: "192.0.2.1", at: start) == 100)
    }

    @Test(.refuses("INT-07")) func `is not overdrawn by bad tokens that were asked about at the same time`() throws {
        let trial = Trial()
        let address = try peer("192.0.2.1")
        for _ in 0..<1000 { trial.budget.charge(address, at: start) }
        #expect(try trial.permitted(of: 10, for: "192.0.2.1", at: start) == 0)
        #expect(try trial.permitted(of: 1, for: "192.0.2.1", at: start + 20_000) == 1)
    }

    @Test(.refuses("INT-07")) func `that is spent stays spent while a flood goes on, and costs it no more than that`()
        throws
    {
        let trial = Trial()
        #expect(try trial.permitted(of: 100_000, for: "192.0.2.1", at: start) == 100)
        #expect(try trial.permitted(of: 10, for: "192.0.2.1", at: start + 20_000) == 1)
    }

    @Test(.holds("INT-07")) func `of the many is left alone when a hundred addresses spend theirs`() throws {
        let trial = Trial()
        for number in 0..<100 { _ = try trial.permitted(of: 1000, for: "198.51.100.\(number)", at: start) }
        var refused = 0
        for high in 0..<40 {
            for low in 0..<100 where try trial.permitted(of: 1, for: "10.0.\(high).\(low)", at: start) == 0 {
                refused += 1
            }
        }
        // Both places of two rows shared with spenders: (100/2048)^2 of them, about ten of four thousand.
        #expect(refused <= 40)
    }

    @Test(.holds("INT-07")) func `is held by what is under way, and is spent by failures alone`() throws {
        let trial = Trial()
        let address = try peer("192.0.2.1")
        #expect(trial.budget.standing(of: address, underWay: 99, at: start) == .left)
        #expect(trial.budget.standing(of: address, underWay: 100, at: start) == .reserved)
        _ = try trial.permitted(of: 40, for: "192.0.2.1", at: start)
        #expect(trial.budget.standing(of: address, underWay: 59, at: start) == .left)
        #expect(trial.budget.standing(of: address, underWay: 60, at: start) == .reserved)
        _ = try trial.permitted(of: 20, for: "192.0.2.1", at: start)
        #expect(trial.budget.standing(of: address, underWay: 39, at: start) == .left)
        #expect(trial.budget.standing(of: address, underWay: 40, at: start) == .spent, "more than half has failed")
        _ = try trial.permitted(of: 40, for: "192.0.2.1", at: start)
        #expect(trial.budget.standing(of: address, underWay: 0, at: start) == .spent)
    }

    @Test func `without a rate there is none`() throws {
        let trial = Trial(perSecond: 0)
        #expect(try trial.permitted(of: 10_000, for: "192.0.2.1", at: start) == 10_000)
    }
}
