import Testing

@testable import Fetch

@Suite struct `freshness from Cache-Control` {
    @Test(arguments: [
        (["max-age=300"], 300), (["public, max-age=300, must-revalidate"], 300), (["MAX-AGE=5"], 5),
        (["max-age=\"60\""], 60), (["public", "max-age=7"], 7), ([" max-age=1\t"], 1),
        (["private=\"a, max-age=1\", max-age=9"], 9), (["max-age=99999999999999999999999"], Int.max),
    ])
    func `is max-age`(values: [String], seconds: Int) {
        #expect(CacheControl.maxAgeSeconds(values) == seconds)
    }

    @Test(arguments: [
        ["no-store"], ["no-cache"], ["max-age=300, no-store"], ["max-age=0"], ["max-age=-1"], ["max-age"], ["max-age="],
        ["max-age=1.5"], ["max-age=300, max-age=0"], ["max-age=300", "No-Cache"], ["max-age=x"],
    ])
    func `is nothing when the answer may not be kept or contradicts itself`(values: [String]) {
        #expect(CacheControl.maxAgeSeconds(values) == 0)
    }

    @Test(arguments: [[], [""], ["public"], ["s-maxage=30"], [",,"], ["x-max-age=3"]])
    func `is unknown when nothing is said`(values: [String]) {
        #expect(CacheControl.maxAgeSeconds(values) == nil)
    }
}
