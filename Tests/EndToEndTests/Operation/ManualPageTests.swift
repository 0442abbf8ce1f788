import Foundation
import TestSupport
import Testing

/// The program as it is shipped cannot describe its commands as JSON (CLeftOut): its page of the manual is made from a file.
@Suite struct `the page of the manual` {
    /// `PORTCULLIS_WRITE_GOLDEN=1 swift test --filter 'the page of the manual'` writes the file.
    @Test func `describes the commands that there are`() throws {
        let child = try ChildProcess(GatewayProcess.binary, ["--experimental-dump-help"])
        let text = try #require(child.outputToItsEnd()).joined(separator: "\n") + "\n"
        #expect(child.waitForEnd() == .exited(0), "\(child.errors.now)")
        let file = URL(filePath: #filePath).appending(path: "../../../../deploy/commands.json").standardized
        if ProcessInfo.processInfo.environment["PORTCULLIS_WRITE_GOLDEN"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text, "a command changed: write the file anew")
        #expect(text.utf8.allSatisfy { $0 < 0x80 }, "what formats the page takes letters of ASCII alone")
    }
}
