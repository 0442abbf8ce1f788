// SPDX-License-Identifier: Apache-2.0

/// Whether a text holds a PEM block (RFC 7468) of some kind: enough to catch swapped and truncated files by name.
enum PEMText {
    /// Whether a complete block is there whose label is `label` or ends with it (`EC PRIVATE KEY`).
    static func holds(_ label: String, in bytes: [UInt8]) -> Bool {
        var open: Substring?
        var hasBody = false
        for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
            if let begun = boundary(line, "-----BEGIN ") {
                (open, hasBody) = (begun, false)
            } else if let ended = boundary(line, "-----END ") {
                if ended == open, hasBody, ended == label || ended.hasSuffix(" \(label)") { return true }
                open = nil
            } else {
                hasBody = true
            }
        }
        return false
    }

    private static func boundary(_ line: Substring, _ prefix: String) -> Substring? {
        guard line.hasPrefix(prefix), line.hasSuffix("-----") else { return nil }
        return line.dropFirst(prefix.count).dropLast(5)
    }
}
