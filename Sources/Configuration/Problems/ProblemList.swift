// SPDX-License-Identifier: Apache-2.0

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

    func error(at place: Place, expected: String, found: String, remedy: String) {
        append(.error, place, expected, found, remedy)
    }

    func warning(at place: Place, expected: String, found: String, remedy: String) {
        append(.warning, place, expected, found, remedy)
    }

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
                severity: severity, position: place.position, path: place.path, expected: expected, found: found,
                remedy: remedy))
    }
}

extension Problem {
    fileprivate var sortPosition: Position { position ?? Position(line: 0, column: 0) }
}
