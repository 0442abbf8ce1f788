import Configuration
import Glibc
import TestTraits
import Testing

@Suite struct `loading from a path` {
    @Test func `a file that is not there is refused`() {
        #expect(
            refusalOfLoading("/nowhere/gateway.yaml", from: .scripted())
                == """
                /nowhere/gateway.yaml: expected a readable configuration file, found no such file
                    it was looked for at "/nowhere/gateway.yaml"
                """)
    }

    @Test func `a folder, and a file that this user may not read, are refused as what they are`() throws {
        #expect(
            refusalOfLoading("/etc/portcullis/", from: .scripted())
                == """
                /etc/portcullis/: expected a readable configuration file, found a folder
                    name a file in it; container runtimes make a folder where the file that they are to mount is missing
                """)
        #expect(
            refusalOfLoading("/closed/gateway.yaml", from: .scripted())
                == """
                /closed/gateway.yaml: expected a readable configuration file, found a file that this user may not read
                    let the user that runs this read "/closed/gateway.yaml" and pass the folders above it, or run this as the service's
                """)
    }

    @Test func `a byte order mark before UTF-8 is no part of the text, and UTF-16 is told by its name`() throws {
        #expect(refusal(of: [0xEF, 0xBB, 0xBF] + Array(Sample().text.utf8)) == "")
        let utf16 = Sample().text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        #expect(
            refusal(of: [0xFF, 0xFE] + utf16)
                == """
                gateway.yaml:1:1: expected a text in UTF-8, found UTF-16
                    save it as UTF-8, which some editors list beside Unicode
                """)
        #expect(refusal(of: [0xEF, 0xBB, 0xBF]).hasPrefix("gateway.yaml:1:1: expected a configuration"))
    }

    @Test func `a file of more than a mebibyte is refused`() {
        let sources = ConfigurationSources.scripted(files: [
            "large.yaml": Fixture.file(String(repeating: "#", count: 1 << 20) + "#")
        ])
        #expect(
            refusalOfLoading("large.yaml", from: sources)
                == """
                large.yaml: expected a readable configuration file, found more than 1MiB
                    check that "large.yaml" is the right file
                """)
    }

    @Test func `the system says why a path is no file`() throws {
        let sources = ConfigurationSources.system
        #expect(sources.file("/nowhere/at/all", 10) == .failure(.missing))
        #expect(sources.file("/", 10) == .failure(.folder))
        #expect(sources.file("/dev/null", 10) == .failure(.special))
        #expect(sources.obstacleToAppending("/nowhere/at/all") == "/nowhere/at: No such file or directory")
        #expect(sources.processors >= 1)
    }

    @Test func `what start-up would refuse is refused, with OpenSSL's reason`() throws {
        let folder = try TemporaryFolder()
        let pem = { (label: String) in "-----BEGIN \(label)-----\nAAAA\n-----END \(label)-----\n" }
        try folder.write(pem("CERTIFICATE"), to: "tls.crt")
        try folder.write(pem("PRIVATE KEY"), to: "tls.key")
        try folder.write(
            Sample.listener("tls: { certificate: tls.crt, key: tls.key }"), to: "gateway.yaml")
        let text = refusalOfLoading("\(folder.path)/gateway.yaml", from: .system)
        #expect(text.contains("gateway.yaml:1:91: listeners[0].tls.certificate: expected a certificate chain in PEM"))
        #expect(text.contains("found a certificate that OpenSSL refuses"))
        try folder.write(Sample.issuer("certificate_authority: tls.crt"), to: "gateway.yaml")
        #expect(
            refusalOfLoading("\(folder.path)/gateway.yaml", from: .system).contains(
                "found authorities that OpenSSL refuses"))
    }

    @Test func `a certificate and its key load, another key does not`() throws {
        let folder = try TemporaryFolder()
        try folder.write(RealCertificate.chain, to: "tls.crt")
        try folder.write(RealCertificate.key, to: "tls.key")
        try folder.write(Sample.listener("tls: { certificate: tls.crt, key: tls.key }"), to: "gateway.yaml")
        let path = "\(folder.path)/gateway.yaml"
        #expect(refusalOfLoading(path, from: .system) == "")
        try folder.write(RealCertificate.otherKey, to: "tls.key")
        #expect(refusalOfLoading(path, from: .system).contains("found a key that OpenSSL refuses or that fits another"))
        try folder.write(Sample.issuer("certificate_authority: tls.crt"), to: "gateway.yaml")
        #expect(refusalOfLoading(path, from: .system) == "")
    }

    @Test(.refuses("MTLS-04")) func `revocation lists that start-up would refuse are refused, with OpenSSL's reason`()
        throws
    {
        let folder = try TemporaryFolder()
        try folder.write(RealCertificate.chain, to: "tls.crt")
        try folder.write(RealCertificate.key, to: "tls.key")
        try folder.write(RealCertificate.revocations, to: "ca.crl")
        let trust = "{ request: optional, trust: { authorities: tls.crt, revocation_list: ca.crl } }"
        try folder.write(
            Sample.listener("tls: { certificate: tls.crt, key: tls.key, client_certificates: \(trust) }"),
            to: "gateway.yaml")
        let path = "\(folder.path)/gateway.yaml"
        #expect(refusalOfLoading(path, from: .system) == "")
        try folder.write(Fixture.revocations, to: "ca.crl")
        #expect(refusalOfLoading(path, from: .system).contains("found revocation lists that OpenSSL refuses"))
    }

    @Test(.holds("CA-17"), .refuses("CA-17")) func `the real mode of a key file counts`() throws {
        let folder = try TemporaryFolder()
        try folder.write(Fixture.key, to: "tls.key", mode: 0o644)
        try folder.write(Fixture.certificate, to: "tls.crt")
        try folder.write(Sample.listener("tls: { certificate: tls.crt, key: tls.key }"), to: "gateway.yaml")
        let path = "\(folder.path)/gateway.yaml"
        #expect(refusalOfLoading(path, from: .system).contains(#""tls.key" with mode 0644"#))
        try folder.write(Fixture.key, to: "tls.key", mode: 0o640)
        #expect(!refusalOfLoading(path, from: .system).contains("with mode"))
    }

    @Test func `a real file loads`() throws {
        let folder = try TemporaryFolder()
        try folder.write(Sample(rest: "log: { access: access.d/../access.log }").text, to: "gateway.yaml")
        #expect(refusalOfLoading("\(folder.path)/gateway.yaml", from: .system).contains("access.d"))
        try folder.write(Sample(rest: "log: { access: ./access.log }").text, to: "gateway.yaml")
        #expect(refusalOfLoading("\(folder.path)/gateway.yaml", from: .system) == "")
    }

    @Test func `no more than a hundred problems are printed`() {
        let text = (0..<102).map { "unknown\($0): 1\n" }.joined()
        let lines = refusal(of: text).split(separator: "\n")
        #expect(lines.count == 201)
        #expect(lines.last == "gateway.yaml: 4 more problems")
    }

    @Test func `a text cut anywhere is refused or loads, and never traps`() {
        // A cut within a comment, or behind one, is the same as one before it, and most of the text is comments.
        let lines = ReferenceText.yaml.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("#") }
        for count in lines.indices {
            let text = lines[..<count].joined(separator: "\n")
            _ = refusal(of: text, from: .everyFileIsThere)
            _ = refusal(of: text + "\n  x", from: .everyFileIsThere)
        }
        let sample = Array(Sample.token("scopes: { GET: [a] }, claims: { a.b: 1 }").utf8)
        for index in sample.indices {
            for byte in [UInt8(ascii: "\""), 0x0A, UInt8(ascii: "["), UInt8(ascii: ":"), 0x00, 0xC3] {
                var bytes = sample
                bytes[index] = byte
                _ = refusal(of: bytes)
            }
        }
    }

    private func refusalOfLoading(_ path: String, from sources: ConfigurationSources) -> String {
        do throws(ConfigurationRefusal) {
            _ = try Configuration.load(path: path, from: sources)
            return ""
        } catch {
            return error.text(file: path)
        }
    }
}
