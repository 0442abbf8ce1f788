/// Foreign configurations, and what they become here.
package enum ForeignConfiguration {
    /// Our YAML of what oauth2-proxy is configured by: files, of which those of YAML are its alpha configuration, and flags.
    package static func oauth2Proxy(
        _ files: [ForeignFile], flags: [String]
    ) throws(ImportRefusal) -> String {
        var draft = try oauth2ProxyDraft(files, flags: flags)
        draft.finish()
        return try draft.text(from: files.isEmpty ? "flags" : names(files), command: "oauth2-proxy")
    }

    /// Our YAML of an nginx that asks oauth2-proxy, whose own files may be given too, or signs people in by itself.
    package static func nginx(
        _ file: ForeignFile, oauth2Proxy files: [ForeignFile]
    ) throws(ImportRefusal) -> String {
        var draft = try NginxServers.draft(
            NginxReader.directives(try file.text()), beside: files.isEmpty ? nil : oauth2ProxyDraft(files, flags: []))
        draft.finish()
        return try draft.text(from: names([file] + files), command: "nginx")
    }

    /// Our YAML of an Apache with mod_auth_openidc.
    package static func modAuthOpenIDC(_ file: ForeignFile) throws(ImportRefusal) -> String {
        var draft = ApacheTranslation.draft(try ApacheReader.directives(try file.text()))
        draft.finish()
        return try draft.text(from: names([file]), command: "mod_auth_openidc")
    }

    private static func oauth2ProxyDraft(
        _ files: [ForeignFile], flags: [String]
    ) throws(ImportRefusal) -> Draft {
        var settings = FlagSettings()
        for file in files {
            let isYAML = file.name.hasSuffix(".yaml") || file.name.hasSuffix(".yml")
            settings.override(
                with: isYAML ? try AlphaReader.file(try file.text()) : try FlagReader.file(try file.text()))
        }
        settings.override(with: try FlagReader.arguments(flags))
        return FlagTranslation(settings).draft
    }

    private static func names(_ files: [ForeignFile]) -> String { files.map(\.name).joined(separator: ", ") }
}
