import TestTraits
import Testing

@testable import Access

@Suite struct `the origins of a route` {
    @Test(.holds("MCP-06"), arguments: ["https://app.example", "HTTPS://App.Example", "http://127.0.0.1:8080", "null"])
    func `are those named`(origin: String) {
        let list = OriginList(["https://app.example", "http://127.0.0.1:8080", "null"])
        let (isLookedAt, isListed) = (list.isLookedAt, list.contains(Array(origin.utf8).span))
        #expect(isLookedAt)
        #expect(isListed)
    }

    @Test(
        .refuses("MCP-06"),
        arguments: [
            "https://app.example.evil.test", "https://app.exampl", "http://app.example", "https://app.example:443",
            "https://app.example/", "https://evil.test", "", "null", "https://app.example, https://evil.test",
            "https://app.example https://app.example",
        ])
    func `are no others, whole and alone`(origin: String) {
        let isListed = OriginList(["https://app.example"]).contains(Array(origin.utf8).span)
        #expect(!isListed)
    }

    @Test(.refuses("MCP-06")) func `are not looked at where none are named, and are none where the list is empty`() {
        let (unnamed, none) = (OriginList(nil).isLookedAt, OriginList([]).isLookedAt)
        #expect(!unnamed)
        #expect(none)
        let isListed = OriginList([]).contains(Array("https://app.example".utf8).span)
        #expect(!isListed)
    }
}
