import Access
package import Gateway
import Synchronization

/// Everything outside the text that loading looks at; tests put their own files and variables here.
package struct ConfigurationSources: Sendable {
    /// A file as it was read.
    package struct File: Sendable, Equatable {
        /// Where it is, for a C library that reads it once more by itself.
        package var path: String
        package var bytes: [UInt8]
        /// The permission bits, `0o644` for example.
        package var permissions: UInt32
        /// Which version of the file it is; nil where the bytes are from nowhere.
        package var version: FileVersion?

        package init(path: String, bytes: [UInt8], permissions: UInt32 = 0o600) {
            self.path = path
            self.bytes = bytes
            self.permissions = permissions
        }
    }

    /// Why a file could not be read.
    package enum FileRefusal: Error, Sendable, Equatable {
        case missing
        /// Of the file, or of a folder on the way to it.
        case forbidden
        case folder
        /// A pipe, a socket or a device.
        case special
        /// In the system's words.
        case unreadable(String)
        case larger(than: Int)

        /// What a message says was found.
        package var found: String {
            switch self {
            case .missing: "no such file"
            case .forbidden: "a file that this user may not read"
            case .folder: "a folder"
            case .special: "a pipe, socket or device"
            case .unreadable(let reason): reason
            case .larger(let limit): "more than \(ByteCountText.text(limit))"
            }
        }

        /// What to do about it; `path` is where the file was looked for.
        package func remedy(_ path: String) -> String {
            switch self {
            case .missing, .unreadable: "it was looked for at \(Quoted.text(path))"
            case .forbidden:
                "let the user that runs this read \(Quoted.text(path)) and pass the folders above it, or run this as the service's"
            case .folder:
                "name a file in it; container runtimes make a folder where the file that they are to mount is missing"
            case .special: "copy what it gives into a file"
            case .larger: "check that \(Quoted.text(path)) is the right file"
            }
        }
    }

    /// The whole file at a path, unless it has more bytes than the second argument says.
    package var file: @Sendable (String, Int) -> Result<File, FileRefusal>
    /// Names of what is in a folder that are told at most; of more nobody can tell which are left out.
    static let nameLimit = 4096

    /// The names of what is in a folder.
    package var names: @Sendable (String) -> Result<[String], FileRefusal> = { _ in
        .failure(.unreadable("No such file or directory"))
    }
    /// Whether every user of the machine can put files into a folder.
    package var isOpenToAll: @Sendable (String) -> Bool = { _ in false }
    /// Nil when the file at a path can be opened for appending, else why not; creates nothing.
    package var obstacleToAppending: @Sendable (String) -> String?
    /// The value of an environment variable; asked only for names that an `env:` reference says.
    package var environment: @Sendable (String) -> String?
    /// Processors this process may use: the default of `workers`.
    package var processors: Int
    /// Bytes of memory that this process may have; nil without a bound.
    package var memoryLimit: Int?
    package var documents: DocumentChecks
    /// Seconds since 1970: what certificates are good at.
    package var now: Int64

    package init(
        file: @escaping @Sendable (String, Int) -> Result<File, FileRefusal>,
        obstacleToAppending: @escaping @Sendable (String) -> String?,
        environment: @escaping @Sendable (String) -> String?, processors: Int,
        documents: DocumentChecks = DocumentChecks(), now: Int64
    ) {
        self.file = file
        self.obstacleToAppending = obstacleToAppending
        self.environment = environment
        self.processors = processors
        self.documents = documents
        self.now = now
    }
}

/// The files that loading one configuration read or looked for in vain, whether it loads or not.
package final class FilesRead: Sendable {
    private let found = Mutex<[ReadFile]>([])

    package init() {}

    /// Each once, as it was when it was read first.
    package var files: [ReadFile] { found.withLock { $0 } }

    func note(_ file: ReadFile) {
        found.withLock { found in if !found.contains(where: { $0.path == file.path }) { found.append(file) } }
    }
}

extension ConfigurationSources {
    /// The same sources, with every file that is asked for noted.
    func noting(_ files: FilesRead) -> ConfigurationSources {
        var noting = self
        noting.file = { [file] path, limit in
            let result = file(path, limit)
            var version: FileVersion?
            if case .success(let read) = result { version = read.version }
            files.note(ReadFile(path: path, version: version ?? FileVersion(at: path)))
            return result
        }
        noting.names = { [names] path in
            // A folder is another one when something comes into it or goes.
            files.note(ReadFile(path: path, version: FileVersion(at: path)))
            return names(path)
        }
        return noting
    }
}

/// What start-up does with the files that a configuration names; each answers nil, or what is wrong with them.
///
/// `check` must refuse what `run` would refuse, so both run these.
package struct DocumentChecks: Sendable {
    /// A certificate chain in PEM, leaf first, and the leaf's private key.
    package var certificateAndKey:
        @Sendable (_ chain: ConfigurationSources.File, _ key: ConfigurationSources.File) -> String?
    /// Certificates of certification authorities in PEM.
    package var authorities: @Sendable (_ certificates: ConfigurationSources.File) -> String?
    /// Revocation lists in PEM, of the authorities at a path, for a listener with such a certificate.
    package var revocationLists:
        @Sendable (
            _ lists: ConfigurationSources.File, _ authorities: String, _ listener: TLSSettings.Certificate?
        ) -> String?
    /// A JWK Set.
    package var keySet: @Sendable (_ document: [UInt8]) -> String?

    /// The checks that need no TLS library: the right kinds of PEM blocks, and a JWK Set.
    package init() {
        certificateAndKey = { chain, key in PEMText.fault(chain: chain.bytes) ?? PEMText.fault(key: key.bytes) }
        authorities = { certificates in PEMText.fault(chain: certificates.bytes) }
        revocationLists = { lists, _, _ in PEMText.holds("X509 CRL", in: lists.bytes) ? nil : "no X509 CRL in PEM" }
        keySet = { document in KeySetDocument.fault(document) }
    }

    /// Those, and then what the listeners and upstreams of a starting gateway make of the same files.
    package static var asAtStart: DocumentChecks {
        let text = DocumentChecks()
        var checks = text
        checks.certificateAndKey = { chain, key in text.certificateAndKey(chain, key) ?? TLSFiles.fault(chain, key) }
        checks.authorities = { certificates in text.authorities(certificates) ?? TLSFiles.fault(certificates) }
        checks.revocationLists = { lists, authorities, listener in
            text.revocationLists(lists, authorities, listener)
                ?? listener.flatMap { TLSFiles.fault(revocationLists: lists, authorities: authorities, $0) }
        }
        return checks
    }
}
