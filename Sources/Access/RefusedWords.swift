extension Refused {
    /// What the operator reads of a refusal, as what it is made of: a line that is not written costs no text.
    ///
    /// Written as a text is, with a number or a text in it: `"at most \(limit) bytes"`. Fixed texts are never copied, so
    /// that such words take no memory. What has more than one part is put together at once, but for what the
    /// configuration lists: that is there already, and is kept as it is.
    package enum Words: Sendable, ExpressibleByStringInterpolation {
        case text(String)
        case number(before: String, Int, behind: String)
        case part(before: String, String, behind: String)
        /// Texts with another one between them.
        case list(before: String, [String], between: String)
        /// Rules of claims, all of which were to hold.
        case claims([ClaimRuleSettings])
        /// Rights that all were to be granted.
        case details([AuthorizationDetailsRule])
        /// A rate of requests.
        case limit(RequestLimitSettings)

        package init(stringLiteral value: String) { self = .text(value) }

        package init(stringInterpolation words: StringInterpolation) { self = words.words }

        /// The words, put together.
        package var text: String {
            switch self {
            case .text(let text): text
            case .number(let before, let number, let behind): "\(before)\(number)\(behind)"
            case .part(let before, let part, let behind): "\(before)\(part)\(behind)"
            case .list(let before, let texts, let separator): before + texts.joined(separator: separator)
            case .claims(let rules):
                rules.map(\.text).joined(separator: " and ")
            case .details(let rules): rules.map(\.text).joined(separator: " and ")
            case .limit(let settings): "at most \(settings.text) (limits.requests)"
            }
        }

        /// Takes the parts of the words in their order.
        package struct StringInterpolation: StringInterpolationProtocol {
            fileprivate var words = Words.text("")

            package init(literalCapacity: Int, interpolationCount: Int) {}

            package mutating func appendLiteral(_ literal: String) {
                guard !literal.isEmpty else { return }
                words =
                    switch words {
                    case .text(let text): .text(text.isEmpty ? literal : text + literal)
                    case .number(let before, let number, let behind):
                        .number(before: before, number, behind: behind + literal)
                    case .part(let before, let part, let behind): .part(before: before, part, behind: behind + literal)
                    case .list, .claims, .details, .limit: .text(words.text + literal)
                    }
            }

            package mutating func appendInterpolation(_ number: Int) {
                words = .number(before: words.text, number, behind: "")
            }

            package mutating func appendInterpolation(_ text: String) {
                words = .part(before: words.text, text, behind: "")
            }

            package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
                appendInterpolation(value.description)
            }
        }
    }
}
