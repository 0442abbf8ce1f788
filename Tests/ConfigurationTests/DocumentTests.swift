import Access
import Testing

@Suite struct `a document that is not a configuration` {
    @Test func `Latin-1 is told to be no UTF-8`() {
        #expect(
            refusal(of: Array("# f".utf8) + [0xFC] + Array("r\nworkers: 2\n".utf8))
                == """
                gateway.yaml:1:4: expected a text in UTF-8, found a byte 0xFC of another encoding, such as Latin-1
                    save it as UTF-8
                """)
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(
            refusal(of: [UInt8]("workers: ".utf8) + [0xFF, 0x0A])
                == """
                gateway.yaml:1:10: expected a text in UTF-8, found a byte 0xFF of another encoding, such as Latin-1
                    save it as UTF-8
                """)
    }
}
