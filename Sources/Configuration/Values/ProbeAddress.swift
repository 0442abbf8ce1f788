package import Gateway

/// The address of a probe: `http://`, an IP address and a port, and one of the probes' paths.
package struct ProbeAddress: Equatable {
    package var address: SocketAddressSettings
    package var page: String

    /// Nil for any other text: names are not looked up, and nothing but a probe is asked for.
    package init?(_ text: String) {
        let scheme = "http://"
        guard text.hasPrefix(scheme) else { return nil }
        let rest = text.dropFirst(scheme.count)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        page = String(rest[slash...])
        guard ["/healthz", "/readyz", "/startupz"].contains(page),
            let address = SocketAddressText.parse(String(rest[..<slash])), address.unixPath == nil, address.port > 0
        else { return nil }
        self.address = address
    }
}

extension Configuration {
    /// Where the admin listener of a file is; whatever else is wrong with the file is not looked at.
    ///
    /// A gateway goes on by its former configuration where a new one does not load, and whoever asks how it is must find
    /// it (ECO-32).
    package static func adminAddress(
        path: String, from sources: ConfigurationSources = .system
    ) throws(ConfigurationRefusal) -> SocketAddressSettings {
        let bytes: [UInt8]
        switch sources.file(path, maximumBytes) {
        case .success(let file): bytes = file.bytes
        case .failure(let refusal):
            throw .problems([
                Problem(
                    severity: .error, position: nil, path: "", expected: "a readable configuration file",
                    found: refusal.found, remedy: refusal.remedy(path))
            ])
        }
        let root: YAMLNode
        do throws(YAMLRefusal) {
            root = try YAMLReader.read(bytes)
        } catch {
            throw .problems([error.problem])
        }
        guard let node = root.value(of: "admin")?.value(of: "address") else {
            return AdminSection.standard.address
        }
        guard case .scalar(let text, _) = node.content, let address = SocketAddressText.parse(text) else {
            throw .problems([
                Problem(
                    severity: .error, position: node.position, path: "admin.address",
                    expected: SocketAddressText.shape.expected, found: "something else",
                    remedy: "portcullis check \(path)  says more")
            ])
        }
        return address
    }
}

extension YAMLNode {
    /// The value of a key; nil where this is no mapping, or has no such key.
    fileprivate func value(of key: String) -> YAMLNode? {
        guard case .mapping(let entries) = content else { return nil }
        return entries.first { $0.key == key }?.value
    }
}
