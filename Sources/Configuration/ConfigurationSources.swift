// SPDX-License-Identifier: Apache-2.0

/// Everything outside the text that loading looks at; tests put their own files and variables here.
package struct ConfigurationSources: Sendable {
    /// A file as it was read.
    package struct File: Sendable {
        package var bytes: [UInt8]
        /// The permission bits, `0o644` for example.
        package var permissions: UInt32

        package init(bytes: [UInt8], permissions: UInt32 = 0o600) {
            self.bytes = bytes
            self.permissions = permissions
        }
    }

    /// Why a file could not be read, in the system's words.
    package enum FileRefusal: Error, Sendable, Equatable {
        case unreadable(String)
        case larger(than: Int)
    }

    /// The whole file at a path, unless it has more bytes than the second argument says.
    package var file: @Sendable (String, Int) -> Result<File, FileRefusal>
    /// Nil when the file at a path can be opened for appending, else why not; creates nothing.
    package var obstacleToAppending: @Sendable (String) -> String?
    /// The value of an environment variable; asked only for names that an `env:` reference says.
    package var environment: @Sendable (String) -> String?
    /// Processors this process may use: the default of `workers`.
    package var processors: Int
    package var documents: DocumentChecks

    package init(
        file: @escaping @Sendable (String, Int) -> Result<File, FileRefusal>,
        obstacleToAppending: @escaping @Sendable (String) -> String?,
        environment: @escaping @Sendable (String) -> String?, processors: Int,
        documents: DocumentChecks = DocumentChecks()
    ) {
        self.file = file
        self.obstacleToAppending = obstacleToAppending
        self.environment = environment
        self.processors = processors
        self.documents = documents
    }
}

/// What start-up does with the files that a configuration names; each answers nil, or what is wrong with them.
///
/// `check` must refuse what `run` would refuse, so both run these.
package struct DocumentChecks: Sendable {
    /// A certificate chain in PEM, leaf first, and the leaf's private key.
    package var certificateAndKey: @Sendable (_ chain: [UInt8], _ key: [UInt8]) -> String?
    /// Certificates of certification authorities in PEM.
    package var authorities: @Sendable (_ certificates: [UInt8]) -> String?
    /// A JWK Set.
    package var keySet: @Sendable (_ document: [UInt8]) -> String?

    /// The checks that this module can make by itself.
    package init() {
        certificateAndKey = { chain, key in
            guard PEMText.holds("CERTIFICATE", in: chain) else { return "no certificate in PEM" }
            guard PEMText.holds("PRIVATE KEY", in: key) else { return "no private key in PEM" }
            return nil
        }
        authorities = { certificates in
            PEMText.holds("CERTIFICATE", in: certificates) ? nil : "no certificate in PEM"
        }
        keySet = { document in KeySetDocument.fault(document) }
    }
}
