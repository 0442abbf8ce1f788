package import Gateway

/// Reads a configuration file into settings, or tells everything that keeps it from loading.
package enum Configuration {
    /// Larger files are not read.
    package static let maximumBytes = 1 << 20

    /// The settings that the file at `path` describes, and what its operator should be warned of.
    ///
    /// `portcullis check` and `portcullis run` both load with this, so they refuse the same files. Notes the files that it
    /// reads, this one first.
    package static func load(
        path: String, from sources: ConfigurationSources = .system, noting files: FilesRead = FilesRead()
    ) throws(ConfigurationRefusal) -> LoadedConfiguration {
        switch sources.noting(files).file(path, maximumBytes) {
        case .success(let file):
            return try load(text: file.bytes, folder: FilePath.folder(of: path), from: sources, noting: files)
        case .failure(let refusal):
            throw .problems([
                Problem(
                    severity: .error, position: nil, path: "", expected: "a readable configuration file",
                    found: refusal.found, remedy: refusal.remedy(path))
            ])
        }
    }

    /// The settings that texts describe which were read from the file at `path`, and from those that it includes, before.
    package static func load(
        text: ConfigurationText, of path: String, noting files: FilesRead
    ) throws(ConfigurationRefusal) -> LoadedConfiguration {
        try load(
            text: text.bytes, included: text.included, folder: FilePath.folder(of: path), from: .system, noting: files)
    }

    /// The settings that a text describes; relative paths in it start at `folder`.
    ///
    /// `included` are the texts that it includes; nil to read their files.
    package static func load(
        text: [UInt8], included: [IncludedText]? = nil, folder: String, from sources: ConfigurationSources,
        noting files: FilesRead = FilesRead()
    ) throws(ConfigurationRefusal) -> LoadedConfiguration {
        let root: YAMLNode
        do throws(YAMLRefusal) {
            root = try YAMLReader.read(text)
        } catch {
            throw .problems([error.problem])
        }
        let problems = ProblemList()
        let place = Place(position: root.position, path: "")
        let sources = sources.noting(files)
        var variables = VariableValues(root, sources, problems)
        let own = variables.fill(root, at: place)
        let include = IncludedFiles(
            problems: problems, sources: sources, folder: folder, noting: files, before: included)
        let texts = include.texts(of: root)
        let whole = include.merge(texts, into: own, &variables)
        variables.warnOfUnused()
        let checked = ShapeCheck(problems: problems).check(whole, .object(DocumentSection.shape), at: place, for: nil)
        let translation = Translation(problems: problems, sources: sources, folder: folder)
        guard let document = checked?.object, let settings = DocumentSection.translate(document, translation),
            !problems.hasErrors
        else { throw .problems(problems.inOrder) }
        // About the machine, and behind what the text has.
        let memory = MemoryBudget(settings).warning(limit: sources.memoryLimit)
        return LoadedConfiguration(
            settings: settings, warnings: problems.inOrder + [memory].compactMap(\.self),
            text: ConfigurationText(bytes: text, included: texts), files: files.files)
    }
}

/// A configuration without errors.
package struct LoadedConfiguration: Sendable {
    package var settings: GatewaySettings
    /// In the order of the text; none of them is an error.
    package var warnings: [Problem]
    /// What it was read from.
    package var text = ConfigurationText()
    /// The files that were read, each once: the one with the text, unless it was given, and those that it names.
    package var files: [ReadFile] = []

    /// The warnings for the log of a gateway that serves by it, a line for each; those that it says in a word of its own
    /// (`insecure_setting`) are left to it.
    package func warningLines(file: String) -> [String] {
        warnings.filter { !$0.path.hasSuffix(".insecure_allow_http") }.map { $0.line(file: file) }
    }
}

extension YAMLRefusal {
    /// What the operator reads.
    package var problem: Problem {
        let (expected, found, remedy) = words
        return Problem(
            severity: .error, position: position, path: "", expected: expected, found: found, remedy: remedy)
    }

    private var words: (expected: String, found: String, remedy: String) {
        switch cause {
        case .syntax(let words):
            (
                "YAML", "a syntax error: \(words)",
                "check indentation, brackets and quotation marks just before this place"
            )
        case .openQuote:
            (
                "YAML", "a quotation mark that is not closed",
                "close the text that begins here; a mark within it is written twice in '…', and \\\" in \"…\""
            )
        case .openBracket(let bracket, let opened, let words):
            (
                "YAML", "a syntax error: \(words)",
                "the \(bracket) on line \(opened.line), column \(opened.column) is not closed before this place: "
                    + "look there, and for commas and quotation marks behind it"
            )
        case .signAtStart(let sign):
            ("YAML", "a text that begins with \(sign)", "put it in quotation marks")
        case .notUTF8(let byte):
            (
                "a text in UTF-8",
                "a byte 0x\(String(byte, radix: 16, uppercase: true)) of another encoding, such as Latin-1",
                "save it as UTF-8"
            )
        case .oddSpace(let name):
            ("YAML", "\(name), which looks like a space and is none", "type a space in its place")
        case .variable:
            (
                "YAML", "a syntax error on a line with ${…}",
                TemplateText.remedy + "; a text that has braces belongs in quotation marks"
            )
        case .tab: ("YAML", "a tab", "indent with spaces: YAML knows no tabs")
        case .utf16: ("a text in UTF-8", "UTF-16", "save it as UTF-8, which some editors list beside Unicode")
        case .anchorOrAlias:
            (
                "plain YAML", "an anchor or alias",
                "write the value out; put a text that begins with & or * in quotation marks"
            )
        case .tag: ("plain YAML", "a tag", "leave it out; put a text that begins with ! in quotation marks")
        case .secondDocument: ("one YAML document", "a second one", "keep one document in the file")
        case .tooDeep:
            ("at most \(YAMLReader.maximumDepth) levels", "deeper nesting", "no key of the configuration lies so deep")
        case .keyNotText:
            ("a text as key", "a list or mapping", "put a text that begins with { or [ in quotation marks")
        case .empty: ("a configuration", "an empty document", "see the reference: portcullis defaults")
        }
    }
}
