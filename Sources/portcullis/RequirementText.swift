import Explain
import Access
import Gateway
import Requirements

/// What `portcullis explain --check` says of an id.
enum RequirementText {
    /// The row of the id, and the causes of refusals that stand for it.
    static func text(of id: String) throws(RequestDraft.Problem) -> String {
        guard let (row, family) = RequirementTable.find(id.uppercased()) else { throw unknown(id) }
        var lines = ["\(row.id)  \(family.title)", "", row.promise, "", "Source: \(row.source)"]
        let causes = Refusal.allCases.filter { $0.check.description == row.id }
        if !causes.isEmpty {
            lines += ["", "Refusals with this check, status and cause:"]
            lines += causes.map { "  \($0.status)  \($0.word)" }
        }
        if family.isTested {
            lines += ["", "Tests that carry it: .holds(\"\(row.id)\") and .refuses(\"\(row.id)\")"]
        }
        return lines.joined(separator: "\n")
    }

    private static func unknown(_ id: String) -> RequestDraft.Problem {
        let families = RequirementTable.families.map(\.prefix).joined(separator: ", ")
        return RequestDraft.Problem(
            text: """
                --check wants the id of a requirement, such as RS-13, found "\(id.prefix(80))"
                    an id is a family, a hyphen, and a number or a word; the families are \(families)
                """)
    }
}
