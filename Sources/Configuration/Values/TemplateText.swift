/// Texts that wait for somebody to fill a variable in: `${ISSUER}`, `$(ISSUER)`, `{{ .Values.issuer }}`.
///
/// Nothing here fills them in: what a configuration means is in its text, and a value with a line break or a quotation
/// mark in it could otherwise say more than it was asked for.
enum TemplateText {
    /// What to do in place of it.
    static let remedy =
        "variables are not filled in here: write the value itself; secrets alone may come from { env: NAME }"

    /// The variable that a text has, with its signs; nil when it has none.
    static func variable(in text: String) -> String? {
        for (opening, closing) in [("${", "}"), ("$(", ")"), ("{{", "}}"), ("<%", "%>")] {
            guard let start = text.firstRange(of: opening),
                let end = text[start.upperBound...].firstRange(of: closing), start.upperBound < end.lowerBound
            else { continue }
            return String(text[start.lowerBound..<end.upperBound])
        }
        return nil
    }
}
