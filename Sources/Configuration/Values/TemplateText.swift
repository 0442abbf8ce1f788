/// Texts that wait for somebody to fill a variable in: `${ISSUER}`, `$(ISSUER)`, `{{ .Values.issuer }}`.
///
/// Only `${NAME}` is filled in, and only where `variables` names it (`VariableValues`): what a configuration means is in its
/// text and in those values.
enum TemplateText {
    /// What to do in place of it.
    static let remedy =
        "only ${NAME} is filled in, where  variables: [NAME]  at the head of the file names it; secrets come from { env: NAME }"

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
