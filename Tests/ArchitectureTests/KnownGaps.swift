// SPDX-License-Identifier: Apache-2.0

/// What is known to be missing.
///
/// Both lists may only shrink, and end empty.
enum KnownGaps {
    /// Words of the catalogues that no code says yet.
    static let unusedWords: Set<String> = [
        "LogEvent.certificateUnusable", "LogEvent.configurationWarning", "LogEvent.handshakeFailed",
        "LogEvent.insecureSetting", "LogFieldName.alarm", "LogFieldName.keyID", "LogFieldName.setting",
        "LogFieldName.version",
    ]

    /// Requirement rows that fewer than two tests carry.
    static let rowsWithoutTwoTests: Set<String> = []
}
