import Telemetry

/// A table of the page, the rows behind the first few folded away.
struct StatusTable {
    /// A column: its heading, and what becomes of its cells.
    struct Column {
        let title: String
        var isNumber = false
        /// The name of what the row is about.
        var isName = false
    }

    /// Rows that are seen at once, and all that there are places for.
    static let shownLimit = 12
    static let rowLimit = 300

    let caption: String
    let columns: [Column]
    /// Cells in HTML, a row for each.
    var rows: [[String]]
    /// Rows that are seen at once.
    var shown = shownLimit
    /// What the folded rows are, such as `more routes`.
    let more: String

    /// The table, and the one that is folded.
    var html: String {
        let shown = rows.prefix(shown)
        let folded = rows.dropFirst(self.shown).prefix(Self.rowLimit)
        var html = shown.isEmpty ? "" : table(shown)
        guard !folded.isEmpty else { return html }
        let left = rows.count - shown.count - folded.count
        html +=
            "<details><summary>\(StatusWords.number(UInt64(rows.count - shown.count))) \(more)</summary>\(table(folded))"
        if left > 0 { html += "<p>\(StatusWords.number(UInt64(left))) more have no room here.</p>" }
        return html + "</details>"
    }

    private func table(_ rows: ArraySlice<[String]>) -> String {
        let heads = columns.map { "<th scope=\"col\"\($0.isNumber ? " class=\"n\"" : "")>\($0.title)</th>" }.joined()
        let body = rows.map { "<tr>\(cells($0))</tr>" }.joined(separator: "\n")
        return "<table><caption>\(caption)</caption><thead><tr>\(heads)</tr></thead><tbody>\(body)</tbody></table>"
    }

    private func cells(_ row: [String]) -> String {
        zip(columns, row).map { column, cell in
            if column.isName { return "<th scope=\"row\">\(cell)</th>" }
            return "<td data-label=\"\(column.title)\"\(column.isNumber ? " class=\"n\"" : "")>\(cell)</td>"
        }.joined()
    }
}

extension StatusTable {
    /// A word with a colour; the word alone says it too.
    static func chip(_ word: String, _ kind: String) -> String { "<span class=\"chip \(kind)\">\(word)</span>" }

    /// How often something happened, and what most of it was.
    static func counts(_ figures: [CauseFigures]) -> String {
        guard let most = figures.max(by: { $0.count < $1.count }) else { return "0" }
        return "<b>\(StatusWords.number(figures.total))</b>"
            + note((figures.count > 1 ? "mostly " : "") + StatusWords.cause(most.cause))
    }

    /// A second line below a name.
    static func note(_ html: String) -> String { html.isEmpty ? "" : "<small>\(html)</small>" }

    /// A section of the page.
    static func section(_ id: String, _ title: String, _ note: String = "", _ body: String) -> String {
        "<section id=\"\(id)\"><h2>\(title)</h2>\(note.isEmpty ? "" : "<p class=\"note\">\(note)</p>")\(body)</section>"
    }
}
