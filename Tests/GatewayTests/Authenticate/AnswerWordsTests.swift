import Testing

@testable import Gateway

@Suite struct `a record's answers` {
    @Test(arguments: [0, 1, 2, 9]) func `are as many words as the configuration has, and no byte of its text`(
        count: Int
    ) throws {
        let records = try TokenRecords()
        let record = records.make(TokenRecords.digest(1), wordCount: count)
        for index in 0..<count { record.pointee.answers[index] = UInt64(index) }
        #expect(Array(record.pointee.answerWords) == (0..<count).map { UInt64($0) })
    }
}
