import Testing

/// Where a refusal may be spoken of: modules of protocols return causes, and Refusals says what each comes to.
@Suite struct `a cause of a refusal` {
    /// Floors 1 to 3, which know nothing of the product.
    static let libraries: Set<String> = [
        "Bytes", "Rates", "JSON", "HTTPMessage", "Crypto", "JOSE", "HTTP1", "OAuth", "EventLoop", "Transport", "Fetch",
    ]

    /// The requirement rows that a text's strings name; comments may name them.
    static func rowsInStrings(of text: String) -> [String] {
        text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }.flatMap { line in
            line.matches(of: #/"([^"]*)"/#).flatMap { string in
                string.1.matches(of: RequirementRows.row).map { String($0.output) }
            }
        }
    }

    @Test func `brings no requirement with it from the libraries below`() {
        for file in SourceTree.sources where file.target.map(Self.libraries.contains) == true {
            #expect(Self.rowsInStrings(of: file.text) == [], "\(file)")
        }
    }

    @Test func `is looked for in strings, and not in comments`() {
        let row = "RS" + "-13"
        #expect(Self.rowsInStrings(of: "case .a: \"\(row)\"\n    /// \"\(row)\"\nlet b = \"SHA-256\"") == [row])
    }
}
