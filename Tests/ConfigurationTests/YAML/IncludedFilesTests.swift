import Access
import Gateway
import Glibc
import TestTraits
import Testing

@testable import Configuration

@Suite struct `included files` {
    private static let route = "{ path: /NAME/, upstream: http://127.0.0.1:3000, public: true }"

    private func route(_ name: String) -> String { "routes:\n  - " + Self.route.replacing("NAME", with: name) + "\n" }

    /// A configuration of these lines in a folder of such files.
    private func folder(_ include: String, _ files: [String: String], routes: String? = nil) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        var sample = Sample(rest: include)
        sample.routes = routes ?? ""
        sample.issuers = ""
        try folder.write(sample.text, to: "gateway.yaml")
        for (name, text) in files { try folder.write(text, to: name) }
        return folder
    }

    private func paths(_ folder: TemporaryFolder) throws -> [String] {
        try Configuration.load(path: folder.path + "/gateway.yaml").settings.routes.map(\.path)
    }

    private func refusal(_ folder: TemporaryFolder) -> String {
        do throws(ConfigurationRefusal) {
            _ = try Configuration.load(path: folder.path + "/gateway.yaml")
            return ""
        } catch {
            return error.text(file: "gateway.yaml").replacing(folder.path + "/", with: "")
        }
    }

    @Test(.holds("ECO-96")) func `add their routes behind those of the file, in the order of names`() throws {
        let files = [
            "r-2.yaml": route("two"), "r-10.yaml": route("ten"), ".r-0.yaml": "no: yaml", "r-3.yml": "no: yaml",
            "other.yaml": route("other"),
        ]
        let own = "routes: [" + Self.route.replacing("NAME", with: "own") + "]"
        let folder = try folder("include: [other.yaml, r-*.yaml]", files, routes: own)
        #expect(try paths(folder) == ["/own/", "/other/", "/ten/", "/two/"])
        #expect(try paths(self.folder("include: [r-*.yaml]", files)) == ["/ten/", "/two/"])
    }

    @Test(.holds("ECO-96")) func `are a host each, with its routes, beside those of the file`() throws {
        let host = { (name: String) in
            "hosts: [{ host: \(name).example.com }]\nroutes:\n  - { host: \(name).example.com, path: /, "
                + "upstream: http://127.0.0.1:3000, public: true }\n"
        }
        let own = "routes: [" + Self.route.replacing("NAME", with: "own") + "]"
        let folder = try folder(
            "include: [h-*.yaml]", ["h-a.yaml": host("a"), "h-b.yaml": host("b")], routes: own)
        let settings = try Configuration.load(path: folder.path + "/gateway.yaml").settings
        #expect(settings.hosts.map(\.name) == ["a.example.com", "b.example.com"])
        #expect(settings.routes.map(\.host) == [nil, 0, 1])
        let found = refusal(
            try self.folder("include: [h-*.yaml]", ["h-a.yaml": host("a"), "h-c.yaml": host("a")], routes: own))
        #expect(found.contains("h-c.yaml:1:17: hosts[1].host: expected"), "\(found)")
        #expect(
            refusal(try self.folder("include: [a.yaml]", ["a.yaml": "hosts: x\n"])).contains(
                "a.yaml:1:8: hosts: expected a list of hosts"))
    }

    @Test(.holds("ECO-96")) func `are read again as they were, with the text that included them`() throws {
        let folder = try folder("include: [r-*.yaml]", ["r-1.yaml": route("one")])
        let path = folder.path + "/gateway.yaml"
        let loaded = try Configuration.load(path: path)
        try folder.write(route("changed"), to: "r-1.yaml")
        try folder.write(route("new"), to: "r-2.yaml")
        let again = try Configuration.load(text: loaded.text, of: path, noting: FilesRead())
        #expect(again.settings.routes.map(\.path) == ["/one/"])
        #expect(try paths(folder) == ["/changed/", "/new/"])
        // A change of each of them, or of what is in their folder, is one of the text.
        let texts = loaded.files.filter(\.isText).map(\.path)
        #expect(texts == [folder.path, folder.path + "/r-1.yaml"])
    }

    @Test(.refuses("ECO-96")) func `have their problems told in themselves`() throws {
        let files = [
            "a.yaml": "routes:\n  - { path: a, upstream: http://127.0.0.1:3000, public: true }\n",
            "b.yaml": "routes:\n  - { path: /b/ }\nworkers: 2\n", "c.yaml": "- 1\n", "d.yaml": "routes: [\n",
            "e.yaml": "routes: { path: / }\n", "f.yaml": "", "g.yaml": route("x"),
            "h.yaml": "# again\n" + route("x"),
        ]
        #expect(
            refusal(try folder("include: [\"*.yaml\", none.yaml]", files.filter { $0.key != "gateway.yaml" })).contains(
                "gateway.yaml"))
        let found = refusal(
            try folder("include: [a.yaml, b.yaml, c.yaml, d.yaml, e.yaml, f.yaml, g.yaml, h.yaml]", files))
        for wanted in [
            "a.yaml:2:13: routes[0].path: expected a path such as /api/orders/, found \"a\"",
            "b.yaml:2:5: routes[1].upstream: expected",
            "b.yaml:2:5: routes[1]: expected exactly one of token, login, public",
            "b.yaml:3:1: workers: expected hosts and routes alone in an included file, each once, found \"workers\"",
            "c.yaml:1:1: expected routes in an included file, found a list", "d.yaml:", "f.yaml:1:1: expected",
            "e.yaml:1:9: routes: expected a list of routes, found a mapping",
            "h.yaml:3:13: routes[3].path: expected a path of its own for each route, or methods or fields that tell them apart, "
                + "found \"/x/\" again",
            "a request could be for the route on line 2 of g.yaml too; merge the two routes",
        ] { #expect(found.contains(wanted), "\(wanted) is not in\n\(found)") }
    }

    @Test(.refuses("ECO-96")) func `that are not there, or included twice, are refused where they are named`() throws {
        let found = refusal(
            try folder("include: [r-*.yaml, none.yaml, nowhere/*.yaml, r-1.yaml]", ["r-1.yaml": route("x")]))
        for wanted in [
            "gateway.yaml:4:21: include[1]: expected a readable file of routes, found \"none.yaml\": no such file",
            "include[2]: expected a folder that can be read, found \"nowhere\"",
            "include[3]: expected each file once, found \"r-1.yaml\" again",
        ] { #expect(found.contains(wanted), "\(wanted) is not in\n\(found)") }
    }

    @Test func `that there are none of are warned of`() throws {
        let own = "routes: [" + Self.route.replacing("NAME", with: "own") + "]"
        let folder = try folder("include: [none-*.yaml]", [:], routes: own)
        let loaded = try Configuration.load(path: folder.path + "/gateway.yaml")
        #expect(loaded.warnings.map(\.path) == ["include[0]"])
        // One that is put there later is noticed.
        #expect(loaded.files.contains { $0.isText && $0.path == folder.path })
    }

    @Test(.holds("ECO-96")) func `are filled with the variables that the file names`() throws {
        let own = "variables: [PREFIX]\nroutes: [{ path: /x, upstream: http://127.0.0.1:3000, public: true }]"
        let files = ["a.yaml": Fixture.file(route("${PREFIX}-a").replacing("/${PREFIX}-a/", with: "\"/${PREFIX}-a/\""))]
        let sources = ConfigurationSources.scripted(files: files, environment: ["PREFIX": "shop"])
        let text = Sample(issuers: "", routes: own, rest: "include: [a.yaml]").text
        #expect(try settings(of: text, from: sources).routes.map(\.path) == ["/x", "/shop-a/"])
        let unnamed = Sample(issuers: "", routes: own.replacing("[PREFIX]", with: "[OTHER]"), rest: "include: [a.yaml]")
            .text
        let found = ConfigurationTests.refusal(
            of: unnamed, from: .scripted(files: files, environment: ["OTHER": "x"]))
        #expect(found.contains("a.yaml:2:13: routes[0].path: expected a variable that  variables  names"), "\(found)")
    }

    @Test(.refuses("ECO-96")) func `include no further file, nor the one that includes them`() throws {
        let again = "include: [gateway.yaml]\n" + route("a")
        for (include, files, wanted) in [
            (
                "include: [gateway.yaml]", [:],
                "gateway.yaml:1:1: listeners: expected hosts and routes alone in an included file"
            ),
            (
                "include: [a.yaml]", ["a.yaml": again],
                "a.yaml:1:1: include: expected hosts and routes alone in an included file"
            ),
            ("include: [a.yaml, ./a.yaml]", ["a.yaml": route("x")], "expected a path of its own for each route"),
        ] as [(String, [String: String], String)] {
            let found = refusal(try folder(include, files))
            #expect(found.contains(wanted), "\(wanted) is not in\n\(found)")
        }
    }

    @Test(.refuses("ECO-96")) func `that are links to a secret do not have it quoted`() throws {
        for secret in ["correct-horse-battery", "root:$6$correct-horse-battery:19000:0\ndaemon:*:1", "42424242424242"] {
            let folder = try folder("include: [r-*.yaml]", ["key.secret": secret])
            #expect(symlink(folder.path + "/key.secret", folder.file("r-1.yaml")) == 0)
            let found = refusal(folder)
            #expect(found.contains("r-1.yaml:1:1: expected routes in an included file, found a text"), "\(found)")
            // The folder's name is random, and may have anything in it.
            let said = found.replacing(folder.path, with: "")
            #expect(!said.contains("correct-horse") && !said.contains("4242"), "\(said)")
        }
        // Volumes of Kubernetes are links: one to routes is as good as a file.
        let linked = try folder("include: [r-*.yaml]", ["data": route("x")])
        #expect(symlink("data", linked.file("r-1.yaml")) == 0)
        #expect(try paths(linked) == ["/x/"])
        let round = try folder("include: [r-*.yaml]", [:])
        #expect(symlink("r-1.yaml", round.file("r-1.yaml")) == 0)
        #expect(refusal(round).contains("include[0]: expected a readable file of routes"))
    }

    @Test(.refuses("ECO-96")) func `that everybody can write to do not load, nor do those in such a folder`() throws {
        let file = try folder("include: [a.yaml]", [:])
        try file.write(route("x"), to: "a.yaml", mode: 0o666)
        let found = refusal(file)
        #expect(
            found.contains("expected a file that not everybody can change, found \"a.yaml\" with mode 0666"), "\(found)"
        )
        let open = try folder("include: [r-*.yaml]", ["r-1.yaml": route("x")])
        #expect(chmod(open.path, 0o777) == 0)
        #expect(refusal(open).contains("include[0]: expected a folder that not everybody can put files into"))
        #expect(chmod(open.path, 0o755) == 0)
        #expect(try paths(open) == ["/x/"])
    }

    @Test(.refuses("ECO-96")) func `in a folder with more files than are looked at are refused`() {
        var sources = ConfigurationSources.scripted()
        sources.names = { _ in .success((0..<4096).map { "other-\($0)" }) }
        let text = Sample(rest: "include: [\"r-*.yaml\"]").text
        let found = ConfigurationTests.refusal(of: text, from: sources)
        #expect(found.contains("include[0]: expected fewer than 4096 files in the folder, found more"), "\(found)")
    }

    @Test(.refuses("ECO-96")) func `and messages about them repeat no variable's value`() {
        let secret = "correct-horse-battery-staple"
        let route = "routes: [{ path: \"${KEY}\", upstream: \"http://u:${KEY}@h\", public: true }]"
        let rest =
            "include: [a.yaml]\nvariables: [KEY]\nworkers: \"${KEY}\"\nclients: { shop: \"${KEY}\" }\n\"${KEY}\": 1"
        let found = ConfigurationTests.refusal(
            of: Sample(rest: rest).text,
            from: .scripted(files: ["a.yaml": Fixture.file(route)], environment: ["KEY": secret]))
        #expect(!found.contains("correct-horse") && found.contains("found \"${KEY}\""), "\(found)")
        let long = ConcealedValue(name: "KEY", value: String(repeating: "secret-", count: 20))
        #expect(long.concealed(in: Quoted.text("a " + long.value)) == "\"a ${KEY}…\"")
        #expect(long.concealed(in: "\(long.value) again, \(long.value)") == "${KEY} again, ${KEY}")
        #expect(long.concealed(in: long.value.uppercased()) == "${KEY}")
        #expect(long.concealed(in: "a secret- of others") == "a secret- of others")
        #expect(ConcealedValue(name: "A", value: "main").concealed(in: "the client main") == "the client main")
    }
}
