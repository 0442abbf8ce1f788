import Pages

/// The files of sentences that ship, as `portcullis defaults --language` prints them.
package enum LanguageTexts {
    /// Nil for a language that does not ship.
    package static func file(of tag: String) -> String? { PageLanguage.shippedFile(of: tag) }
}
