import TestTraits
import Testing

@testable import Gateway

@Suite struct `how a user was authenticated` {
    @Test(
        .refuses("STEP-02"),
        arguments: [
            ("1700000000", 1_700_000_000), ("1700000000.9", 1_700_000_000), (nil, .min), ("\"1700000000\"", .min),
            ("null", .min), ("1e300", .min), ("true", .min),
        ] as [(String?, Int64)])
    func `is kept with the token by its time, and what is no date is none`(claim: String?, expected: Int64) throws {
        let records = try TokenRecords(["auth_time": claim])
        #expect(records.make(TokenRecords.digest(1)).pointee.authTime == expected)
    }
}
