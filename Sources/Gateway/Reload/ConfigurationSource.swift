/// Where a configuration comes from when it is read again.
package struct ConfigurationSource: Sendable {
    /// Reads it; called on the control loop.
    package let read: @Sendable () -> Result<NewConfiguration, ConfigurationFault>
    /// The files that the configuration served at start names; a change of one of them is a wish to reload.
    package let files: [String]

    package init(files: [String], read: @escaping @Sendable () -> Result<NewConfiguration, ConfigurationFault>) {
        self.files = files
        self.read = read
    }
}

/// A configuration that loads.
package struct NewConfiguration: Sendable {
    package let settings: GatewaySettings
    package let warnings: [String]
    /// The files that it names: certificates, keys, secrets.
    package let files: [String]

    package init(settings: GatewaySettings, warnings: [String], files: [String]) {
        self.settings = settings
        self.warnings = warnings
        self.files = files
    }
}

/// Everything that keeps a configuration from loading, a line for each.
package struct ConfigurationFault: Error, Sendable {
    package let problems: [String]

    package init(problems: [String]) { self.problems = problems }
}
