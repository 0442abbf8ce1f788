import Gateway

/// The files that a configuration includes: hosts and routes, beside its own.
struct IncludedFiles {
    static let key = "include"
    /// What they may have: lists that go on where the file's own end.
    private static let lists = ["hosts", "routes"]
    private static let countLimit = 1000

    let problems: ProblemList
    let sources: ConfigurationSources
    let folder: String
    let noting: FilesRead
    /// What was read before, where that is to be read again; nil to look at the files.
    let before: [IncludedText]?

    /// The texts, in the order of the patterns and then of the names; what is wrong with them has been noted.
    func texts(of document: YAMLNode) -> [IncludedText] {
        if let before { return before }
        var texts: [IncludedText] = []
        for (pattern, place) in patterns(of: document) {
            for path in paths(pattern, place) {
                if texts.contains(where: { $0.path == path }) {
                    problems.error(
                        at: place, expected: "each file once", found: "\(Quoted.text(path)) again",
                        remedy: "its routes would be there twice: leave one of the patterns out")
                } else if let text = text(path, place) {
                    texts.append(IncludedText(path: path, bytes: text))
                }
            }
        }
        return texts
    }

    /// The document with the hosts and routes of these files behind its own.
    func merge(_ texts: [IncludedText], into document: YAMLNode, _ variables: inout VariableValues) -> YAMLNode {
        var document = document
        var added: [String: [YAMLNode]] = [:]
        let root = Place(position: document.position, path: "")
        for text in texts {
            do throws(YAMLRefusal) {
                let file = try YAMLReader.read(text.bytes).placed(in: text.path)
                added.merge(lists(of: variables.fill(file, at: root)), uniquingKeysWith: +)
            } catch {
                var problem = error.problem
                problem.position?.file = text.path
                problems.note(problem)
            }
        }
        guard case .mapping(var entries) = document.content else { return document }
        for key in Self.lists {
            guard let elements = added[key], !elements.isEmpty else { continue }
            if let index = entries.firstIndex(where: { $0.key == key }) {
                guard case .sequence(let own) = entries[index].value.content else { continue }
                entries[index].value.content = .sequence(own + elements)
            } else {
                let position = document.position
                entries.append(
                    YAMLNode.Entry(
                        key: key, keyPosition: position,
                        value: YAMLNode(position: position, content: .sequence(elements))))
            }
        }
        document.content = .mapping(entries)
        return document
    }

    private func lists(of file: YAMLNode) -> [String: [YAMLNode]] {
        let place = Place(position: file.position, path: "")
        guard case .mapping(let entries) = file.content else {
            // A text may be what another file has, such as a secret that a link leads to: it is not repeated.
            var found = "a text"
            if case .sequence = file.content { found = "a list" }
            problems.error(
                at: place, expected: "routes in an included file", found: found,
                remedy: "write it as  routes: [{ path: /, … }]")
            return [:]
        }
        var lists: [String: [YAMLNode]] = [:]
        for entry in entries {
            let place = place.key(Quoted.bare(entry.key), at: entry.keyPosition)
            guard Self.lists.contains(entry.key), lists[entry.key] == nil else {
                problems.error(
                    at: place, expected: "hosts and routes alone in an included file, each once",
                    found: Quoted.text(entry.key),
                    remedy: "what is for all routes belongs into the file that includes this one")
                continue
            }
            guard case .sequence(let elements) = entry.value.content else {
                problems.error(
                    at: Place(position: entry.value.position, path: place.path), expected: "a list of \(entry.key)",
                    found: entry.value.found,
                    remedy: entry.key == "routes"
                        ? "write it as  routes: [{ path: /, … }]" : "write it as  hosts: [{ host: …, … }]")
                continue
            }
            lists[entry.key] = elements
        }
        if entries.isEmpty {
            problems.error(
                at: place, expected: "routes in an included file", found: "none",
                remedy: "write it as  routes: [{ path: /, … }]")
        }
        return lists
    }

    private func patterns(of document: YAMLNode) -> [(String, Place)] {
        guard case .mapping(let entries) = document.content, let list = entries.first(where: { $0.key == Self.key }),
            case .sequence(let elements) = list.value.content
        else { return [] }
        let place = Place(position: list.keyPosition, path: Self.key)
        return elements.enumerated().compactMap { index, node in
            guard case .scalar(let text, _) = node.content, Self.pattern.fault(text) == nil else { return nil }
            return (text, place.element(index, at: node.position))
        }
    }

    /// A file, or the files of a folder whose names fit one `*`.
    static let pattern = TextShape(expected: "the path of a file, or of files such as conf.d/*.yaml") { text in
        let name = text.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard !text.isEmpty, !name.isEmpty, !text.utf8.contains(0), !text.contains("${") else {
            return TextFault(remedy: "write an absolute path, or one relative to this file's folder")
        }
        let stars = text.count { $0 == "*" }
        guard stars == 0 || stars == 1 && name.contains("*"), !text.contains(where: { "?[]{}".contains($0) }) else {
            return TextFault(remedy: "one * may stand in the name of the files, and in no folder")
        }
        return nil
    }

    private func paths(_ pattern: String, _ place: Place) -> [String] {
        let path = FilePath.resolve(pattern, in: folder)
        guard let star = path.lastIndex(of: "*") else { return [path] }
        let parent = FilePath.folder(of: path)
        // A file that is put there, or taken away, is another version of its folder.
        noting.note(ReadFile(path: parent, version: FileVersion(at: parent), isText: true))
        let (before, after) = (path[..<star], path[path.index(after: star)...])
        let prefix = before[(before.lastIndex(of: "/").map { before.index(after: $0) } ?? before.startIndex)...]
        let names: [String]
        switch sources.names(parent) {
        case .success(let all):
            guard all.count < ConfigurationSources.nameLimit else {
                // Some of them were not looked at, and a route that is not there lets its requests reach another.
                problems.error(
                    at: place, expected: "fewer than \(ConfigurationSources.nameLimit) files in the folder",
                    found: "more in \(Quoted.text(parent))",
                    remedy: "put the files of routes into a folder of their own")
                return []
            }
            if sources.isOpenToAll(parent) {
                problems.error(
                    at: place, expected: "a folder that not everybody can put files into",
                    found: "\(Quoted.text(parent)), which everybody can write to",
                    remedy: "chmod o-w the folder: whoever puts a file there makes routes")
            }
            names = all.filter {
                !$0.hasPrefix(".") && $0.hasPrefix(prefix) && $0.hasSuffix(after)
                    && $0.utf8.count >= prefix.utf8.count + after.utf8.count
            }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        case .failure(let refusal):
            problems.error(
                at: place, expected: "a folder that can be read", found: "\(Quoted.text(parent)): \(refusal.found)",
                remedy: refusal.remedy(parent))
            return []
        }
        if names.isEmpty {
            problems.warning(
                at: place, expected: "files of such names", found: "none in \(Quoted.text(parent))",
                remedy: "no route comes from there; a file that is put there is found at the next reload")
        }
        guard names.count <= Self.countLimit else {
            problems.error(
                at: place, expected: "at most \(Self.countLimit) files", found: "\(names.count) of them",
                remedy: "put several routes into one file")
            return []
        }
        return names.map { parent == "." ? $0 : parent.hasSuffix("/") ? parent + $0 : "\(parent)/\($0)" }
    }

    private func text(_ path: String, _ place: Place) -> [UInt8]? {
        // As a text, before it is read and noted as any file.
        noting.note(ReadFile(path: path, version: FileVersion(at: path), isText: true))
        switch sources.file(path, Configuration.maximumBytes) {
        case .success(let file):
            if file.permissions & 0o002 != 0 {
                problems.error(
                    at: place, expected: "a file that not everybody can change",
                    found: "\(Quoted.text(path)) with mode 0\(String(file.permissions & 0o777, radix: 8))",
                    remedy: "chmod o-w the file: whoever writes to it makes routes")
            }
            return file.bytes
        case .failure(let refusal):
            problems.error(
                at: place, expected: "a readable file of routes", found: "\(Quoted.text(path)): \(refusal.found)",
                remedy: refusal.remedy(path))
            return nil
        }
    }
}
