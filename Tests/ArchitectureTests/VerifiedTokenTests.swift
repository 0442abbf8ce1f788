import TestTraits
import Testing

/// Rows RS-14, RS-11: a value that says that a token was verified is made where tokens are verified.
@Suite struct `a verified access token` {
    private static let file = "Sources/OAuth/Resource/VerifiedAccessToken.swift"

    @Test(.refuses("RS-14")) func `is made by the library that verifies alone, and of a session in one place`() throws {
        let definition = try #require(SourceTree.file(Self.file)).code
        #expect(!definition.contains("public init(") && !definition.contains("package init("))
        let users = SourceTree.sources.filter { $0.path != Self.file && $0.code.contains("ofSession(") }
        #expect(users.map(\.path) == ["Sources/Access/Authenticate/FindSession.swift"])
    }
}
