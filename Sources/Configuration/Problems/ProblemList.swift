/// Where in the file something was said: its position, and its path of keys.
struct Place: Sendable, Equatable {
    var position: Position
    var path: String

    /// The place of a key inside this one.
    func key(_ name: String, at position: Position) -> Place {
        Place(position: position, path: path.isEmpty ? name : "\(path).\(name)")
    }

    /// The place of an element of this list.
    func element(_ index: Int, at position: Position) -> Place {
        Place(position: position, path: "\(path)[\(index)]")
    }
}

/// Collects every problem, so that the operator mends all of them in one go.
final class ProblemList {
    private(set) var problems: [Problem] = []
    private var excused: [Position] = []
    private var concealed: [ConcealedValue] = []

    func error(at place: Place, expected: String, found: String, remedy: String) {
        append(.error, place, expected, found, remedy)
    }

    func warning(at place: Place, expected: String, found: String, remedy: String) {
        append(.warning, place, expected, found, remedy)
    }

    func note(_ problem: Problem) { problems.append(problem) }

    /// The value there is not what it is to be, and that has been told: what it looks like meanwhile is no problem.
    func excuse(_ place: Place) { excused.append(place.position) }

    func isExcused(_ place: Place) -> Bool { excused.contains(place.position) }

    /// Has messages say the name of a variable in place of its value, which nobody wrote into the file.
    func conceal(_ value: ConcealedValue) { concealed.append(value) }

    /// In the order of the text; at one position the one noticed first comes first.
    var inOrder: [Problem] {
        problems.enumerated()
            .sorted { ($0.element.sortPosition, $0.offset) < ($1.element.sortPosition, $1.offset) }
            .map(\.element)
    }

    var hasErrors: Bool { problems.contains { $0.severity == .error } }

    private func append(
        _ severity: Problem.Severity, _ place: Place, _ expected: String, _ found: String, _ remedy: String
    ) {
        problems.append(
            Problem(
                severity: severity, position: place.position, path: place.path, expected: shown(expected),
                found: shown(found), remedy: shown(remedy)))
    }

    /// What may be read in logs of other machines.
    private func shown(_ text: String) -> String {
        // One that holds another would be left with the rest of its text.
        let values = concealed.sorted { $0.value.utf8.count > $1.value.utf8.count }
        return ProblemList.maskingUserInformation(values.reduce(text) { $1.concealed(in: $0) })
    }

    /// The same text, with what stands before an `@` in the authority of a URL left out: it may be a password, and what `check`
    /// prints ends in logs of other machines (RFC 3986 §3.2.1, §7.5).
    static func maskingUserInformation(_ text: String) -> String {
        var masked: [UInt8] = []
        let bytes = Array(text.utf8)
        var index = 0
        while index < bytes.count {
            masked.append(bytes[index])
            index += 1
            guard masked.suffix(3).elementsEqual("://".utf8) else { continue }
            let end = bytes[index...].firstIndex { "/?# \"'".utf8.contains($0) } ?? bytes.endIndex
            guard let at = bytes[index..<end].lastIndex(of: UInt8(ascii: "@")) else { continue }
            masked += "…".utf8
            index = at
        }
        return String(decoding: masked, as: UTF8.self)
    }
}

extension Problem {
    fileprivate var sortPosition: Position { position ?? Position(line: 0, column: 0) }
}
