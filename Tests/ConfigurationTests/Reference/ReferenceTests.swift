import Access
import Gateway
import Issuers
import OAuth
import Testing

@testable import Configuration

@Suite struct `the reference configuration` {
    @Test func `is what the defaults command prints`() throws {
        // The build puts the file into the program: this fails where that was built before the file was changed.
        #expect(try ProjectFile.text("config/reference.yaml") == ReferenceText.yaml)
    }

    @Test func `loads when the files that it names are there`() throws {
        #expect(refusal(of: ReferenceText.yaml, from: .everyFileIsThere) == "")
    }

    @Test func `loads with the store that is commented out of it`() throws {
        let text = Self.whole.replacing("topology: standalone", with: "topology: sentinel")
        let found = refusal(of: text, from: .everyFileIsThere)
        let errors = found.split(separator: "\n").filter {
            $0.hasPrefix("gateway.yaml:") && !$0.contains(": warning: ")
        }
        #expect(text.contains("\nstore:\n"))
        #expect(errors == [])
    }

    /// The reference with the store and others that stand there as comments: most gateways have none of them.
    private static let whole: String = {
        var isStore = false
        var text = ""
        for line in ReferenceText.yaml.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "# store:" { isStore = true }
            if isStore, line.hasPrefix("# ") {
                text += line.dropFirst(2)
            } else {
                text += String(line).replacing("# accept: [shared]", with: "accept: [shared]")
                    .replacing("# variables: [", with: "variables: [").replacing("# include: [", with: "include: [")
                    .replacing("# domain: example.com", with: "domain: example.com")
                    .replacing("cookie: __Host-portcullis-web", with: "cookie: __Secure-portcullis-web")
            }
            text += "\n"
        }
        return text
    }()

    @Test func `has every key, and no other`() throws {
        let described = Set(KeyPaths.described(.object(DocumentSection.shape)))
        let written = try Set(occurrences().map(\.path))
        // A reference is a file or a variable: the second can only be told in a comment.
        // Rates at the top are written as those of a route, which have their keys.
        let elsewhere = described.subtracting(written).filter { !$0.hasSuffix(".env") }.sorted()
        #expect(elsewhere == ["limits.requests.burst", "limits.requests.by", "limits.requests.rate"])
        #expect(written.subtracting(described).isEmpty)
        #expect(ReferenceText.yaml.contains("{ env: NAME }"))
    }

    @Test func `shows every default`() throws {
        let occurrences = try occurrences()
        for (path, standard) in KeyPaths.standards(.object(DocumentSection.shape)) {
            let values = occurrences.filter { $0.path == path }.map { Flat.text($0.value) }
            let wanted = Flat.text(try YAMLReader.read(Array(standard.utf8)))
            #expect(values.contains(wanted), "\(path): \(wanted) is not among \(values)")
        }
    }

    @Test func `says as defaults what holds when nothing is said`() throws {
        let reference = try settings(of: ReferenceText.yaml, from: .everyFileIsThere)
        let silent = try settings(of: Sample().text)
        var limits = reference.limits
        #expect(limits.clientConnections == silent.limits.clientConnections)
        limits.connectionsPerClient = nil
        // What a file says is the operator's, and is not fitted to the descriptors there are.
        #expect(!limits.connectionsAreOurs && silent.limits.connectionsAreOurs)
        limits.connectionsAreOurs = true
        #expect(limits.shares.parkedRequests == silent.limits.parkedRequests / 2)
        limits.shares.parkedRequests = nil
        #expect(limits.shares.upstreamConnections == silent.limits.upstreamConnections / 2)
        limits.shares.upstreamConnections = nil
        #expect(String(describing: limits) == String(describing: silent.limits))
        #expect(String(describing: reference.timeouts) == String(describing: silent.timeouts))
        #expect(String(describing: reference.log) == String(describing: silent.log))
        #expect(String(describing: reference.tokenCache) == String(describing: silent.tokenCache))
        #expect(reference.admin.address == silent.admin.address)
        var proofs = reference.proofs
        #expect(proofs.nonceKeys.count == 2)
        proofs.nonceKeys = []
        #expect(String(describing: proofs) == String(describing: silent.proofs))
        var assertionKeys = reference.assertionKeys
        #expect(assertionKeys.keys.count == 2)
        assertionKeys.keys = []
        #expect(String(describing: assertionKeys) == String(describing: silent.assertionKeys))
        #expect(reference.explainBuffer == silent.explainBuffer)
        #expect(reference.precomputedKeys == silent.precomputedKeys)
        var rules = reference.issuers[0].rules
        rules.issuer = silent.issuers[0].rules.issuer
        #expect(String(describing: rules) == String(describing: silent.issuers[0].rules))
    }

    private func occurrences() throws -> [(path: String, value: YAMLNode)] {
        KeyPaths.written(try YAMLReader.read(Array(Self.whole.utf8)), .object(DocumentSection.shape))
    }
}

@Suite struct `the schema` {
    @Test func `describes the keys that the loader knows`() {
        let document = JSONSchema.document
        for path in KeyPaths.described(.object(DocumentSection.shape)) {
            let name = path.split(separator: ".").last.map(String.init) ?? path
            #expect(document.contains("\"\(name)\": {"), "\(path)")
        }
    }

    @Test func `closes every mapping whose keys are described`() {
        #expect(JSONSchema.document.contains("\"additionalProperties\": false"))
        #expect(!JSONSchema.document.contains("\"additionalProperties\": true"))
        let objects = JSONSchema.document.split(separator: "\n").filter { $0.hasSuffix("\"properties\": {") }.count
        let closed = JSONSchema.document.split(separator: "\n").filter {
            $0.contains("\"additionalProperties\": false")
        }
        #expect(closed.count == objects)
    }
}

/// One line for a value, however it is laid out.
private enum Flat {
    static func text(_ node: YAMLNode) -> String {
        switch node.content {
        case .scalar(let text, _): text
        case .sequence(let elements): "[\(elements.map(text).joined(separator: ", "))]"
        case .mapping(let entries): "{\(entries.map { "\($0.key): \(text($0.value))" }.joined(separator: ", "))}"
        }
    }
}
