import Foundation
import TestSupport
import TestTraits
import Testing

@testable import Gateway

@Suite struct `files that are watched` {
    /// A folder of the test's own, with files by name.
    private final class Folder {
        let path: String

        init() throws { path = try TemporaryFolder.make(for: "watched") }

        deinit { TemporaryFolder.remove(path) }

        func write(_ content: String, to name: String) throws {
            try content.write(toFile: path + "/" + name, atomically: true, encoding: .utf8)
        }

        func read(_ name: String) -> ReadFile {
            ReadFile(path: path + "/" + name, version: FileVersion(at: path + "/" + name))
        }
    }

    @Test(.holds("ECO-40")) func `are another version once they stayed as they are from one look to the next`() throws {
        let folder = try Folder()
        try folder.write("one", to: "a")
        var files = WatchedFiles([folder.read("a")])
        #expect(files.changes() == [])
        try folder.write("two", to: "a")
        #expect(files.changes() == [])
        try folder.write("three", to: "a")
        #expect(files.changes() == [])
        #expect(files.changes() == [folder.path + "/a"])
        #expect(files.changes() == [])
    }

    @Test(.holds("ECO-40")) func `are compared with what was read, not with what is there when watching begins`() throws
    {
        let folder = try Folder()
        try folder.write("one", to: "a")
        let read = folder.read("a")
        try folder.write("two", to: "a")
        var files = WatchedFiles([read])
        #expect(files.changes() == [])
        #expect(files.changes() == [read.path])
    }

    @Test(.refuses("ECO-40"))
    func `that were refused are no change by themselves, and those that were missing are one`()
        throws
    {
        let folder = try Folder()
        try folder.write("one", to: "a")
        var files = WatchedFiles([folder.read("a")])
        try folder.write("broken", to: "a")
        files.add([folder.read("a"), folder.read("b")])
        for _ in 0..<3 { #expect(files.changes() == []) }
        // What is known of those that are watched already stays.
        try folder.write("third", to: "a")
        files.addNew([folder.read("a"), folder.read("b")])
        #expect(files.changes() == [])
        #expect(files.changes() == [folder.path + "/a"])
        try folder.write("one", to: "b")
        #expect(files.changes() == [])
        #expect(files.changes() == [folder.path + "/b"])
    }

    @Test(.holds("ECO-40")) func `are in a volume of Kubernetes where a link leads to ..data on their way`() throws {
        let folder = try Folder()
        try KubernetesVolume.put(["gateway.yaml": "a"], in: folder.path)
        try FileManager.default.createDirectory(atPath: folder.path + "/..data/sub", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/sub", withDestinationPath: "..data/sub")
        try folder.write("b", to: "..data/sub/inner.yaml")
        for name in ["gateway.yaml", "..data/gateway.yaml", "sub/inner.yaml", "..data/sub/inner.yaml"] {
            #expect(MountedVolume.holds(folder.path + "/" + name), "\(name)")
        }
    }

    @Test(.refuses("ECO-40")) func `are in none where a person links or edits them`() throws {
        let folder = try Folder()
        try folder.write("a", to: "gateway.yaml")
        let links = [("linked.yaml", "gateway.yaml"), ("named.yaml", "..database/x"), ("absent.yaml", "nowhere")]
        for (name, target) in links {
            try FileManager.default.createSymbolicLink(atPath: folder.path + "/" + name, withDestinationPath: target)
        }
        for name in ["gateway.yaml", "linked.yaml", "named.yaml", "absent.yaml", "missing.yaml"] {
            #expect(!MountedVolume.holds(folder.path + "/" + name), "\(name)")
        }
        for path in ["", "/", "gateway.yaml", "./gateway.yaml", "/etc/portcullis/portcullis.yaml"] {
            #expect(!MountedVolume.holds(path), "\(path)")
        }
    }
}
