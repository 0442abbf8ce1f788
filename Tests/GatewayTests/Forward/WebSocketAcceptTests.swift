import TestTraits
import Testing

@testable import Gateway

/// RFC 6455 §1.3 and §4.2.2.
@Suite struct `the answer to a WebSocket key` {
    private func equals(_ value: String, key: String) -> Bool {
        WebSocketAccept(key: Array(key.utf8).span).equals(Array(value.utf8).span)
    }

    @Test(.holds("HTTP-58")) func `is the one of the specification's example`() {
        #expect(equals("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", key: "dGhlIHNhbXBsZSBub25jZQ=="))
        #expect(equals("HSmrc0sMlYUkAGmm5OPpG2HaGWk=", key: "x3JJHMbDL1EzLkh9GBhXDw=="))
    }

    @Test(
        .refuses("HTTP-58"),
        arguments: [
            "", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo", "S3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "s3pPLMBiTxaQ9kYGzzhZRbK+xOp=",
            "s3pPLMBiTxaQ9kYGzzhZRbK+xOo==", "dGhlIHNhbXBsZSBub25jZQ==", "s3pPLMBhTxaQ9kYGzzhZRbK+xOo=",
        ])
    func `is no other text`(value: String) {
        #expect(!equals(value, key: "dGhlIHNhbXBsZSBub25jZQ=="))
    }

    @Test(.refuses("HTTP-59")) func `is nothing where nothing was asked`() {
        for value in [[UInt8](repeating: 0, count: 28), Array("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=".utf8)] {
            let isAnswer = WebSocketAccept().equals(value.span)
            #expect(!isAnswer)
        }
    }
}
