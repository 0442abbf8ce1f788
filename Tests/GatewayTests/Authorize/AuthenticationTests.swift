import OAuth
import TestTraits
import Testing

@testable import Gateway

@Suite struct `an authentication's age` {
    @Test(
        .holds("STEP-02"),
        arguments: [
            (1000, 1000), (1000, 1300), (1000, 1330), (1030, 1000), (1000, 970 + 30), (1, 331), (0, 0),
        ] as [(Int64, Int64)])
    func `is at most what the route says, and the leeway`(time: Int64, now: Int64) {
        #expect(Authentication.isRecent(at: time, now: now, maximumAge: 300, leeway: 30))
    }

    @Test(
        .refuses("STEP-02"),
        arguments: [
            (1000, 1331), (1000, .max), (1031, 1000), (.max, 1000), (.min, 1000), (.min, .max), (.min, 0), (.min, -1),
            (.max, .min),
        ] as [(Int64, Int64)])
    func `is too great a second later, and a time to come or none is no authentication`(
        time: Int64, now: Int64
    ) {
        #expect(!Authentication.isRecent(at: time, now: now, maximumAge: 300, leeway: 30))
    }

    @Test(.holds("STEP-02")) func `of zero wants one that is just over`() {
        #expect(Authentication.isRecent(at: 1000, now: 1000, maximumAge: 0, leeway: 0))
        #expect(!Authentication.isRecent(at: 1000, now: 1001, maximumAge: 0, leeway: 0))
    }

    @Test(
        .refuses("STEP-02"),
        arguments: [
            ("1700000000", 1_700_000_000), ("1700000000.9", 1_700_000_000), (nil, .min), ("\"1700000000\"", .min),
            ("null", .min), ("1e300", .min), ("true", .min),
        ] as [(String?, Int64)])
    func `is kept with the token, and what is no date is none`(claim: String?, expected: Int64) throws {
        let records = try TokenRecords(["auth_time": claim])
        #expect(records.make(TokenRecords.digest(1)).pointee.authTime == expected)
    }

    @Test(.holds("STEP-01")) func `its class is compared byte for byte`() throws {
        let token = try verifiedToken(["acr": "\"myACR\""])
        #expect(Predicate.authenticationClass("myACR").holds(for: token, issuer: 0))
        for other in ["myacr", "myACR ", "", "my"] {
            #expect(!Predicate.authenticationClass(other).holds(for: token, issuer: 0), "\(other)")
        }
        for claim in [nil, "[\"myACR\"]", "1", "null", "\"other\""] {
            let token = try verifiedToken(["acr": claim])
            #expect(!Predicate.authenticationClass("myACR").holds(for: token, issuer: 0), "\(claim ?? "none")")
        }
    }
}
