import TestTraits
import Testing

@testable import Access

@Suite struct `a published document` {
    private static let path = "/.well-known/oauth-protected-resource"

    private static func document(
        _ listener: Int, _ authorities: [String], path: String = path, query: String? = nil
    ) -> PublishedDocuments.Document {
        PublishedDocuments.Document(
            site: listener, authorities: authorities, path: Array(path.utf8), query: query.map { Array($0.utf8) },
            body: [])
    }

    private static let all = PublishedDocuments([
        document(0, ["a.example"]), document(0, ["b.example", "b.example:8443"]), document(1, ["a.example"]),
        document(0, ["a.example"], path: path + "/v1"), document(0, ["a.example"], path: path + "/v2", query: "x=1"),
    ])

    private func find(_ listener: Int, _ authority: String, _ path: String = path, query: String = "") -> Int? {
        Self.all.find(
            site: listener, authority: Array(authority.utf8).span, path: Array(path.utf8).span,
            query: Array(query.utf8).span)
    }

    @Test(.holds("MD-20"))
    func `is found at its own authority, in any case of its letters`() {
        #expect(find(0, "b.example") == 1)
        #expect(find(0, "B.Example:8443") == 1)
        #expect(find(0, "a.example") == 0)
    }

    @Test(.holds("MD-20"))
    func `is the first of its listener where no authority is its own`() {
        #expect(find(0, "127.0.0.1:8080") == 0)
        #expect(find(1, "b.example") == 2)
    }

    @Test(.refuses("MD-20"))
    func `is found at no other listener, and by no other path`() {
        #expect(find(2, "a.example") == nil)
        #expect(find(1, "a.example", Self.path + "/v1") == nil)
        for path in [Self.path + "/", Self.path + "/v", Self.path + "/v1/", Self.path.uppercased(), ""] {
            #expect(find(0, "a.example", path) == nil, "\(path)")
        }
    }

    @Test(.holds("MD-20"), .refuses("MD-20"))
    func `whose identifier has a query is found by that query alone`() {
        #expect(find(0, "a.example", Self.path + "/v2", query: "x=1") == 4)
        for query in ["", "x=2", "x=1&y=2", "X=1"] {
            #expect(find(0, "a.example", Self.path + "/v2", query: query) == nil, "\(query)")
        }
        // One without a query is found with any: clients add their own.
        #expect(find(0, "a.example", Self.path + "/v1", query: "x=1") == 3)
    }

    @Test(.refuses("MD-20")) func `is none where nothing is published`() {
        let found = PublishedDocuments().find(
            site: 0, authority: Array("a.example".utf8).span, path: Array(Self.path.utf8).span, query: Span())
        #expect(found == nil)
    }
}
