import Bytes

/// Whose pages they are, and what they say.
package struct PageSettings: Sendable {
    /// What the site is called; nothing stands above the pages without it.
    package var name: String?
    package var logo: PageLogo?
    package var accent: PageAccent?
    /// Where its people can be asked for help.
    package var contact: PageContact?
    /// Where the app begins: a path on this origin; nil where nothing is known to be there.
    package var landing: String?
    /// The first one for whoever wants none of them.
    package var languages: [PageLanguage] = [.english, .german]

    package init() {}
}

/// A picture that is inlined, so that nothing is fetched, and small, so that a page stays below 8 KiB with it.
///
/// Shown as an image, where no script of it runs and nothing that it names is loaded.
package struct PageLogo: Sendable {
    /// A `data:` URL.
    let source: String

    package static let maximumBytes = 2 << 10

    /// SVG or PNG, by what is in it; nil for anything else.
    package init?(_ bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count <= PageLogo.maximumBytes else { return nil }
        let type: String
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            type = "image/png"
        } else if PageLogo.isSVG(bytes) {
            type = "image/svg+xml"
        } else {
            return nil
        }
        source = "data:\(type);base64,\(Base64.encode(bytes.span))"
    }

    /// XML in UTF-8 with an `svg` element in its first kilobyte.
    private static func isSVG(_ bytes: [UInt8]) -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        let start = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        return start.first == "<" && String(start.prefix(1024)).contains("<svg")
    }
}

/// An address of mail, or of a page on the web.
package struct PageContact: Sendable, Equatable {
    /// As shown.
    let text: String
    let link: String

    /// Nil for what is neither.
    package init?(_ text: String) {
        guard (3...256).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !Array("\"'<>\\`{|}^".utf8).contains($0) })
        else { return nil }
        self.text = text
        if text.hasPrefix("https://"), text.utf8.count > 8 {
            link = text
        } else {
            let parts = text.split(separator: "@", omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }),
                !text.contains(where: { "?&%#/:,;".contains($0) })
            else { return nil }
            link = "mailto:" + text
        }
    }
}
