import Access
import HTTP1
import TestTraits
import Testing

@testable import Gateway

@Suite struct `a head beyond a limit` {
    @Test(
        .refuses("HTTP-65"),
        arguments: [
            (.requestLineTooLong, .requestLineTooLong, "at most 8192 bytes (limits.request_line)"),
            (.headerSectionTooLarge, .headerSectionTooLarge, "at most 65536 bytes (limits.header_section)"),
            (.fieldLineTooLong, .headerSectionTooLarge, "at most 32768 bytes (limits.field_line)"),
            (.tooManyFields, .headerSectionTooLarge, "at most 100 fields (limits.field_count)"),
            (.versionNotSupported, .versionNotSupported, "HTTP/1.1 or HTTP/1.0"),
            (.expectationUnknown, .expectationUnknown, "100-continue"),
            (.colonMissing, .malformedMessage, "a message that every reader reads alike"),
        ] as [(HTTP1Refusal, Refusal, String)])
    func `is refused with the limit and its key for the operator`(
        cause: HTTP1Refusal, refusal: Refusal, expected: String
    ) throws {
        let idle = try IdleWorker()
        defer { withExtendedLifetime(idle) {} }
        let refused = idle.worker.refusal(of: cause)
        #expect(refused.cause == refusal)
        #expect(refused.detail.expected == expected)
        #expect(!refused.detail.found.isEmpty)
    }
}
