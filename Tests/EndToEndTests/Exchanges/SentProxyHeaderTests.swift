import Foundation
import TestSupport
import TestTraits
import Testing

/// nginx as an upstream that reads a header of the PROXY protocol, and tells what was in it and on which connection.
private final class HeaderReader {
    static let program = "/usr/sbin/nginx"
    static var isInstalled: Bool { FileManager.default.fileExists(atPath: program) }

    let port: UInt16
    private let process: ChildProcess
    private let folder: String

    /// Below /slow it has the server `behind` it answer.
    init(certificate: TestCertificate? = nil, behind: String? = nil) throws {
        let (listener, port) = try Socket.listen()
        self.port = port
        folder = try TemporaryFolder.make(for: "header-reader")
        if let certificate {
            try certificate.certificate.write(toFile: folder + "/a.crt", atomically: false, encoding: .utf8)
            try certificate.key.write(toFile: folder + "/a.key", atomically: false, encoding: .utf8)
        }
        let secure = certificate == nil ? "" : "ssl_certificate a.crt; ssl_certificate_key a.key;"
        let path = folder + "/nginx.conf"
        try """
        daemon off; master_process off; pid \(folder)/pid; error_log stderr;
        events { worker_connections 64; }
        http {
          log_format told '$request_uri $status [$proxy_protocol_addr]';
          access_log \(folder)/access.log told;
          keepalive_timeout 60s;
          client_body_temp_path \(folder)/body; proxy_temp_path \(folder)/proxy; fastcgi_temp_path \(folder)/fastcgi;
          uwsgi_temp_path \(folder)/uwsgi; scgi_temp_path \(folder)/scgi;
          \(secure)
          server {
            listen 127.0.0.1:\(port) reuseport proxy_protocol\(certificate == nil ? "" : " ssl");
            \(behind.map { "location /slow { proxy_pass \($0); }" } ?? "")
            location / {
              return 200 "$proxy_protocol_addr,$proxy_protocol_port,$proxy_protocol_server_port,$connection";
            }
          }
        }

        """.write(toFile: path, atomically: false, encoding: .utf8)
        try Socket.reserve(port: port)
        listener.close()
        process = try ChildProcess(Self.program, ["-e", "stderr", "-c", path], inherited: [])
        #expect(eventually { (try? Socket.connect(port: port)) != nil }, "\(process.errors.now)")
    }

    deinit {
        process.signal(SIGKILL)
        TemporaryFolder.remove(folder)
    }

    var log: String { (try? String(contentsOfFile: folder + "/access.log", encoding: .utf8)) ?? "" }
}

/// Row ECO-77: an upstream that is told by a header of the PROXY protocol whose connection it is.
@Suite(.serialized, .enabled(if: HeaderReader.isInstalled), .byEachProtocol)
struct `an upstream that reads a header of the PROXY protocol` {
    /// What nginx says of a request.
    private struct Told {
        let client: String
        let port: String
        let reached: String
        let connection: String

        init(_ response: WireResponse, at location: SourceLocation = #_sourceLocation) throws {
            let words = response.bodyText.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            try #require(response.status == 200 && words.count == 4, "\(response.headText)", sourceLocation: location)
            (client, port, reached, connection) = (words[0], words[1], words[2], words[3])
        }
    }

    private static func gateway(
        _ upstream: String, _ settings: String = "", _ files: [String: String] = [:]
    ) throws -> GatewayProcess {
        try GatewayProcess(
            """
            workers: 1
            listeners:
              - { address: "127.0.0.1:0", public_url: "http://gateway.test" }
              - { address: "127.0.0.1:0", public_url: "http://gateway.test", proxy_protocol: { from: [127.0.0.1/32] } }
            admin: { address: "127.0.0.1:0" }
            routes: [{ path: /, upstream: { \(upstream), proxy_protocol: v2 }, public: true }]
            log: { level: debug, operator: stderr, access: stdout }
            \(settings)

            """, files: files, listeners: 2)
    }

    private func ask(_ client: RawClient) throws -> Told {
        try client.send(request("GET", "/a", fields: ["X-Forwarded-For: 1.2.3.4"]))
        return try Told(client.response())
    }

    @Test(.holds("ECO-77"), .refuses("ECO-77")) func `has a connection for each of a client's connections`() throws {
        let server = try HeaderReader()
        let gateway = try Self.gateway("url: \"http://127.0.0.1:\(server.port)\"")
        let first = try RawClient(port: gateway.ports[0], from: "127.0.0.5")
        let second = try RawClient(port: gateway.ports[0], from: "127.0.0.6")
        let sent = [try ask(first), try ask(second), try ask(first), try ask(second)]
        #expect(sent.map(\.client) == ["127.0.0.5", "127.0.0.6", "127.0.0.5", "127.0.0.6"])
        #expect(sent.allSatisfy { $0.reached == String(gateway.ports[0]) })
        #expect(sent[0].connection == sent[2].connection && sent[1].connection == sent[3].connection)
        #expect(sent[0].connection != sent[1].connection)
        #expect(sent[0].port == sent[2].port && sent[0].port != sent[1].port)
    }

    @Test(.refuses("ECO-77")) func `never has another client's request on a connection that was one's`() throws {
        let server = try HeaderReader()
        let gateway = try Self.gateway("url: \"http://127.0.0.1:\(server.port)\"")
        var connections: Set<String> = []
        for _ in 0..<8 {
            let client = try RawClient(port: gateway.ports[0], from: "127.0.0.5")
            connections.insert(try ask(client).connection)
            client.close()
        }
        #expect(connections.count == 8)
        // They end with the clients' own.
        #expect(
            eventually {
                gateway.reading("portcullis_connections{side=\"upstream\"}") == 0
            }, "\(gateway.diagnosis)")
    }

    @Test(.refuses("ECO-77")) func `keeps none of a client that is gone, also where a reload took it away meanwhile`()
        throws
    {
        let (app, gate) = (try RecordingUpstream(), Gate())
        defer { gate.open() }
        app.answerAll(with: WireScript(.wait(gate), .echo))
        let server = try HeaderReader(behind: app.url)
        let gateway = try Self.gateway(
            "url: \"http://127.0.0.1:\(server.port)\"", "timeouts: { upstream_idle: 5m }")
        let client = try RawClient(port: gateway.ports[0], from: "127.0.0.5")
        try client.send(request("GET", "/slow"))
        #expect(app.waits { $0.requests.count == 1 })
        let path = gateway.folder + "/gateway.yaml"
        let yaml = try String(contentsOfFile: path, encoding: .utf8)
        try yaml.replacingOccurrences(of: ", proxy_protocol: v2 }", with: " }")
            .write(toFile: path, atomically: true, encoding: .utf8)
        gateway.process.signal(SIGHUP)
        try #require(gateway.operatorLine { $0["event"] == "reloaded" } != nil, "\(gateway.diagnosis)")
        gate.open()
        #expect(try client.response().status == 200)
        #expect(gateway.reading("portcullis_connections{side=\"upstream\"}") == 1)
        client.close()
        #expect(
            eventually { gateway.reading("portcullis_connections{side=\"upstream\"}") == 0 }, "\(gateway.diagnosis)")
    }

    @Test(.holds("ECO-77")) func `gives a client's idle connection up for another client where there may be no more`()
        throws
    {
        let server = try HeaderReader()
        let gateway = try Self.gateway(
            "url: \"http://127.0.0.1:\(server.port)\"",
            "limits: { upstream_connections: 1, upstream_connections_per_client: 1 }")
        let first = try RawClient(port: gateway.ports[0], from: "127.0.0.5")
        let second = try RawClient(port: gateway.ports[0], from: "127.0.0.6")
        let sent = [try ask(first), try ask(second), try ask(first)]
        #expect(sent.map(\.client) == ["127.0.0.5", "127.0.0.6", "127.0.0.5"])
        #expect(Set(sent.map(\.connection)).count == 3)
    }

    @Test(.holds("ECO-77")) func `is told of the client that a header in front has named`() throws {
        let server = try HeaderReader()
        let gateway = try Self.gateway("url: \"http://127.0.0.1:\(server.port)\"")
        for (header, client) in [
            (ProxyProtocolStage.block, "203.0.113.9"),
            (Array("PROXY TCP6 2001:DB8::9 ::1 4711 443\r\n".utf8), "2001:db8::9"),
        ] {
            #expect(try ask(RawClient(port: gateway.ports[1], behind: header)).client == client)
        }
    }

    @Test(.holds("ECO-77")) func `reads it before TLS, and none of a check names anybody`() throws {
        let authority = try TestCertificate.authority(named: "Authority of the tests")
        let server = try HeaderReader(certificate: try authority.issue(names: ["server.test"]))
        let gateway = try Self.gateway(
            """
            url: "https://127.0.0.1:\(server.port)", certificate_authority: $FOLDER/authority.crt, \
            server_name: server.test, health: { path: /check, interval: 1s, timeout: 1s }
            """, "", ["authority.crt": authority.certificate])
        let client = try RawClient(port: gateway.ports[0], from: "127.0.0.5")
        #expect(try ask(client).client == "127.0.0.5")
        #expect(eventually { server.log.contains("/check 200 [-]\n") }, "\(server.log)\(gateway.diagnosis)")
    }
}
