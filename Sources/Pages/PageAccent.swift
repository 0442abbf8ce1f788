import Bytes

/// A site's colour, for buttons and links: whichever it is, text in it and on it can be read (WCAG 2.2, 1.4.3).
package struct PageAccent: Sendable, Equatable {
    /// Red, green and blue, 0 to 255 each.
    struct Colour: Sendable, Equatable {
        var red: UInt8
        var green: UInt8
        var blue: UInt8

        init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
            self.red = red
            self.green = green
            self.blue = blue
        }
    }

    let colour: Colour

    static let standard = PageAccent(colour: Colour(0x1D, 0x4E, 0xD8))
    static let minimumContrast = 4.5
    /// What it stands on: cards and the page, the harder of the two in each scheme.
    private static let light = Colour(0xF3, 0xF4, 0xF6)
    private static let dark = Colour(0x1B, 0x20, 0x29)

    init(colour: Colour) { self.colour = colour }

    /// `#` and six hexadecimal digits; nil for anything else.
    package init?(_ text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 7, digits[0] == UInt8(ascii: "#") else { return nil }
        var bytes: [UInt8] = []
        for place in [1, 3, 5] {
            guard let high = Self.digit(digits[place]), let low = Self.digit(digits[place + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        colour = Colour(bytes[0], bytes[1], bytes[2])
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }

    /// The colour, as much darker as it takes on a light page.
    var onLight: Colour { moved(towards: 0, on: Self.light) }

    /// The colour, as much lighter as it takes on a dark page.
    var onDark: Colour { moved(towards: 255, on: Self.dark) }

    private func moved(towards end: UInt8, on ground: Colour) -> Colour {
        for step in 0...64 {
            let candidate = colour.mixed(with: end, share: step)
            if candidate.contrast(with: ground) >= Self.minimumContrast { return candidate }
        }
        return Colour(end, end, end)
    }
}

extension PageAccent.Colour {
    var text: String {
        "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Sixty-fourths of the way to black or white.
    fileprivate func mixed(with end: UInt8, share: Int) -> PageAccent.Colour {
        func mix(_ part: UInt8) -> UInt8 { UInt8((Int(part) * (64 - share) + Int(end) * share) / 64) }
        return PageAccent.Colour(mix(red), mix(green), mix(blue))
    }

    /// WCAG's contrast ratio, 1 to 21.
    func contrast(with other: PageAccent.Colour) -> Double {
        let (first, second) = (luminance, other.luminance)
        return (max(first, second) + 0.05) / (min(first, second) + 0.05)
    }

    private var luminance: Double {
        0.2126 * Self.linear[Int(red)] + 0.7152 * Self.linear[Int(green)] + 0.0722 * Self.linear[Int(blue)]
    }

    /// What a byte of sRGB is in light, by the series of its curve: there is no `pow` without a C library here.
    private static let linear: [Double] = (0...255).map { byte in
        let part = Double(byte) / 255
        guard part > 0.04045 else { return part / 12.92 }
        let base = (part + 0.055) / 1.055
        // x^2.4 = x² · (x²)^(1/5); the fifth root by Newton's steps.
        let square = base * base
        var root = 1.0
        for _ in 0..<32 { root -= (root * root * root * root * root - square) / (5 * root * root * root * root) }
        return square * root
    }
}
