// SPDX-License-Identifier: Apache-2.0
import Configuration
import Testing

@Suite struct `every example` {
    static let names = [
        "auth0", "bearer-api", "dpop-api", "fapi2", "mcp-server", "opaque-tokens", "public-and-protected",
        "request-uri", "spa-and-api", "tls", "two-issuers", "web-app",
    ]

    @Test(arguments: names) func `loads without a warning of its own making`(name: String) throws {
        let text = try ProjectFile.text("config/examples/\(name).yaml")
        #expect(refusal(of: text, from: .everyFileIsThere) == "")
        #expect(try warnings(of: text, from: .everyFileIsThere) == "")
    }

    @Test(arguments: names) func `is short and opens with what it shows`(name: String) throws {
        let lines = try ProjectFile.text("config/examples/\(name).yaml").split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 41)
        #expect(lines.first?.hasPrefix("# ") == true)
    }
}
