import TestTraits
import Testing

@testable import Gateway

@Suite struct `the origins of a route` {
    @Test(.holds("MCP-06"), arguments: ["https://app.example", "HTTPS://App.Example", "http://127.0.0.1:8080", "null"])
    func `are those named`(origin: String) {
        let list = OriginList(["https://app.example", "http://127.0.0.1:8080", "null"])
        #expect(list.isLookedAt)
        #expect(origin.withBytes { list.contains($0) })
    }

    @Test(
        .refuses("MCP-06"),
        arguments: [
            "https://app.example.evil.test", "https://app.exampl", "http://app.example", "https://app.example:443",
            "https://app.example/", "https://evil.test", "", "null", "https://app.example, https://evil.test",
            "https://app.example https://app.example",
        ])
    func `are no others, whole and alone`(origin: String) {
        #expect(!origin.withBytes { OriginList(["https://app.example"]).contains($0) })
    }

    @Test(.refuses("MCP-06")) func `are not looked at where none are named, and are none where the list is empty`() {
        #expect(!OriginList(nil).isLookedAt)
        let none = OriginList([])
        #expect(none.isLookedAt)
        #expect(!"https://app.example".withBytes { none.contains($0) })
    }
}
