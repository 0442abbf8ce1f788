import Foundation
import Testing

/// What operators read of configurations, each a file in `Golden`; see `GoldenFile` for its form.
///
/// A message is a new file. `PORTCULLIS_WRITE_GOLDEN=1 swift test --filter 'a configuration kept whole'` writes what is
/// printed now, and the difference is then read before it is committed.
@Suite struct `a configuration kept whole` {
    private static let writes = ProcessInfo.processInfo.environment["PORTCULLIS_WRITE_GOLDEN"] != nil

    @Test(arguments: GoldenFile.names)
    func `is told what was expected, what was found and what to do`(name: String) throws {
        if Self.writes { try GoldenFile(named: name).write(named: name) }
        let file = try GoldenFile(named: name)
        #expect(!file.examples.contains { $0.said.isEmpty })
        #expect(file.differences == [])
    }

    @Test func `is one of many`() { #expect(GoldenFile.names.count >= 500) }

    @Test func `is compared to the last letter, in each of its examples`() {
        let valid = Sample().text + "--- says\nvalid\n"
        let refused = "workers: many\n--- says\nvalid\n"
        #expect(GoldenFile(valid).differences == [])
        #expect(GoldenFile(valid + "--- and\n" + valid).differences == [])
        #expect(GoldenFile(valid + "--- and\n" + refused).differences.count == 1)
        #expect(GoldenFile(refused + "--- and\n" + valid + "--- and\n" + refused).differences.count == 2)
        for wrong in ["not valid\n", "valid", "valid\n\n", "Valid\n", ""] {
            #expect(GoldenFile(Sample().text + "--- says\n" + wrong).differences == ["valid\n"], "\(wrong)")
        }
    }
}
