/// A place in the text, counted from 1; columns count characters.
package struct Position: Sendable, Equatable, Comparable {
    package var line: Int
    package var column: Int
    /// The included file that the text is in; nil for the configuration's own.
    package var file: String?

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package static func < (left: Position, right: Position) -> Bool {
        (left.file ?? "", left.line, left.column) < (right.file ?? "", right.line, right.column)
    }

    /// `line 3`, or  `line 3 of conf.d/shop.yaml`.
    var words: String { "line \(line)" + (file.map { " of \(Quoted.path($0))" } ?? "") }
}

/// One value of a YAML text, with the place where it begins; nothing is typed or defaulted yet.
package struct YAMLNode: Sendable {
    /// The three kinds of YAML values.
    package enum Content: Sendable {
        /// `isPlain` is false for quoted and block scalars, which are always text.
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        case mapping([Entry])
    }

    /// One key of a mapping in the order of the text; the same key may come twice here.
    package struct Entry: Sendable {
        package var key: String
        package var keyPosition: Position
        package var value: YAMLNode
    }

    package var position: Position
    package var content: Content

    /// The same in an included file.
    func placed(in file: String) -> YAMLNode {
        var node = self
        node.position.file = file
        switch content {
        case .scalar: break
        case .sequence(let elements): node.content = .sequence(elements.map { $0.placed(in: file) })
        case .mapping(let entries):
            node.content = .mapping(
                entries.map { entry in
                    var entry = entry
                    entry.keyPosition.file = file
                    entry.value = entry.value.placed(in: file)
                    return entry
                })
        }
        return node
    }
}

/// Why a text is not YAML as this product reads it, and where.
package struct YAMLRefusal: Error, Sendable, Equatable {
    /// One case per cause.
    enum Cause: Sendable, Equatable {
        /// The parser's own words.
        case syntax(String)
        /// A quotation mark that nothing closes; where it opens.
        case openQuote
        /// A syntax error within brackets: the last one that is open, and where.
        case openBracket(String, at: Position, words: String)
        /// A text that begins with a sign of YAML's own.
        case signAtStart(String)
        /// Bytes that are not UTF-8: the first of them.
        case notUTF8(UInt8)
        /// A character that looks like a space and is none.
        case oddSpace(String)
        /// A syntax error on a line with `${NAME}`, which a flow mapping takes for another one.
        case variable
        /// A syntax error at a tab.
        case tab
        /// The encoding that some editors call Unicode.
        case utf16
        /// Anchors and aliases let a short text stand for an endless one.
        case anchorOrAlias
        case tag
        case secondDocument
        case tooDeep
        case keyNotText
        case empty
    }

    var cause: Cause
    package var position: Position
}
