import TestSupport
import Testing

/// Runs each test of a suite by HTTP/1.1 and then by HTTP/2: the same text is judged alike, whatever carries it.
struct EachProtocolTrait: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await function()
        guard !test.traits.contains(where: { $0 is HTTP1Trait }) else { return }
        let naming = IssueHandlingTrait.compactMapIssues { issue in
            var issue = issue
            issue.comments.append("over HTTP/2")
            return issue
        }
        try await naming.provideScope(for: test, testCase: testCase) {
            try await WireProtocol.$current.withValue(.http2) { try await function() }
        }
    }
}

/// Why a test of such a suite is about HTTP/1.1 alone.
struct HTTP1Trait: TestTrait {
    let reason: Comment
    var comments: [Comment] { [reason] }
}

extension Trait where Self == EachProtocolTrait {
    /// Each test runs by each protocol that clients speak, except for those that say why not.
    static var byEachProtocol: Self { Self() }
}

extension Trait where Self == HTTP1Trait {
    /// The test makes no sense in HTTP/2.
    static func byHTTP1(because reason: Comment) -> Self { Self(reason: reason) }
}
