import Access
import TestTraits
import Testing

@Suite struct `an authentication's age` {
    @Test(
        .holds("STEP-02"),
        arguments: [
            (1000, 1000), (1000, 1300), (1000, 1330), (1030, 1000), (1000, 970 + 30), (1, 331), (0, 0),
        ] as [(Int64, Int64)])
    func `is at most what the route says, and the leeway`(time: Int64, now: Int64) {
        #expect(Authentication(at: time, now: now, leeway: 30).isRecent(maximumAge: 300))
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
        #expect(!Authentication(at: time, now: now, leeway: 30).isRecent(maximumAge: 300))
    }

    @Test(.holds("STEP-02"), .refuses("STEP-02")) func `of zero wants one that is just over`() {
        #expect(Authentication(at: 1000, now: 1000, leeway: 0).isRecent(maximumAge: 0))
        #expect(!Authentication(at: 1000, now: 1001, leeway: 0).isRecent(maximumAge: 0))
    }
}
