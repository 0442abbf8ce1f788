/// Where a configuration comes from when it is read again.
package struct ConfigurationSource: Sendable {
    /// The file with the text.
    package let path: String
    /// The text that is served at start.
    package let text: ConfigurationText
    /// The files that were read for it, its own among them; a change of one of them is a wish to reload.
    package let files: [ReadFile]
    /// Reads it, from the file or from a text that was in it before; called on the control loop.
    package let read: @Sendable (_ text: ConfigurationText?) -> Result<NewConfiguration, ConfigurationFault>

    package init(
        path: String, text: ConfigurationText, files: [ReadFile],
        read: @escaping @Sendable (_ text: ConfigurationText?) -> Result<NewConfiguration, ConfigurationFault>
    ) {
        self.path = path
        self.text = text
        self.files = files
        self.read = read
    }
}

/// What a configuration was read from: its own file's text, and those of the files that it includes.
package struct ConfigurationText: Sendable {
    package var bytes: [UInt8]
    package var included: [IncludedText]

    package init(bytes: [UInt8] = [], included: [IncludedText] = []) {
        self.bytes = bytes
        self.included = included
    }
}

/// The text of a file that a configuration includes.
package struct IncludedText: Sendable {
    package let path: String
    package let bytes: [UInt8]

    package init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }
}

/// A configuration that loads.
package struct NewConfiguration: Sendable {
    package let settings: GatewaySettings
    package let warnings: [String]
    package let text: ConfigurationText
    /// What was read for it: certificates, keys, secrets, and the text's own file unless the text was given.
    package let files: [ReadFile]

    package init(settings: GatewaySettings, warnings: [String], text: ConfigurationText, files: [ReadFile]) {
        self.settings = settings
        self.warnings = warnings
        self.text = text
        self.files = files
    }
}

/// Everything that keeps a configuration from loading, a line for each.
package struct ConfigurationFault: Error, Sendable {
    package let problems: [String]
    /// What was read, or looked for in vain: another version of one of these may be what it takes.
    package let files: [ReadFile]

    package init(problems: [String], files: [ReadFile]) {
        self.problems = problems
        self.files = files
    }
}
