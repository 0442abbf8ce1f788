import Foundation
import TestSupport
import TestTraits
import Testing

/// A balancer that passes bytes on, behind a header of the PROXY protocol.
private final class Balancer {
    static let haproxy = "/usr/sbin/haproxy"
    static let nginx = "/usr/sbin/nginx"
    static let nginxModule = "/usr/lib/nginx/modules/ngx_stream_module.so"

    static func isInstalled(_ files: String...) -> Bool {
        files.allSatisfy { FileManager.default.fileExists(atPath: $0) }
    }

    let port: UInt16
    let process: ChildProcess
    private let folder: String

    /// HAProxy is given a socket that listens already; nginx listens itself, at a port that is kept from all others.
    private init(_ program: String, _ arguments: [String], inherits: Bool, _ configuration: (UInt16) -> String) throws {
        let (listener, port) = try Socket.listen()
        self.port = port
        folder = try TemporaryFolder.make(for: "balancer")
        let path = folder + "/balancer.conf"
        try configuration(port).replacingOccurrences(of: "$FOLDER", with: folder)
            .write(toFile: path, atomically: false, encoding: .utf8)
        if !inherits {
            try Socket.reserve(port: port)
            listener.close()
        }
        process = try ChildProcess(program, arguments + [path], inherited: inherits ? [listener.descriptor] : [])
        withExtendedLifetime(listener) {}
    }

    deinit {
        process.signal(SIGKILL)
        TemporaryFolder.remove(folder)
    }

    /// HAProxy before a port, with options of its server.
    static func haproxy(to target: UInt16, _ options: String) throws -> Balancer {
        try Balancer(haproxy, ["-q", "-db", "-f"], inherits: true) { _ in
            """
            defaults
              mode tcp
              timeout connect 20s
              timeout client 60s
              timeout server 60s
            listen balancer
              bind fd@3
              server gateway 127.0.0.1:\(target) \(options)

            """
        }
    }

    /// nginx before a port.
    static func nginx(to target: UInt16) throws -> Balancer {
        let balancer = try Balancer(nginx, ["-e", "stderr", "-c"], inherits: false) { port in
            """
            daemon off; master_process off; pid $FOLDER/pid; error_log stderr;
            load_module \(nginxModule);
            events { worker_connections 64; }
            stream { server { listen 127.0.0.1:\(port) reuseport; proxy_pass 127.0.0.1:\(target); proxy_protocol on; } }

            """
        }
        #expect(eventually { (try? Socket.connect(port: balancer.port)) != nil }, "\(balancer.process.errors.now)")
        return balancer
    }
}

/// Row ECO-76 with HAProxy and nginx, as people have them in front.
@Suite(.serialized, .byEachProtocol) struct `a real balancer in front` {
    private static let shared = Shared { try ProxyProtocolStage() }
    let stage: ProxyProtocolStage

    init() throws {
        stage = try Self.shared.get()
        stage.upstream.forget()
    }

    /// Requests of two addresses of this machine, by the balancer: each is told as its own.
    private func expectClients(by balancer: Balancer, _ listener: ProxyProtocolStage.Listener) throws {
        let options = TLSClientOptions(serverName: "gateway.test", authority: stage.authority.certificate)
        for address in ["127.0.0.5", "127.0.0.6"] {
            stage.upstream.forget()
            let client = try RawClient(port: balancer.port, tls: listener == .secure ? options : nil, from: address)
            for _ in 0..<2 {
                try client.send(request("GET", "/a", fields: ["X-Forwarded-For: 1.2.3.4"]))
                let answer = try client.response()
                #expect(
                    answer.status == 200, "\(answer.headText)\(balancer.process.errors.now)\(stage.gateway.diagnosis)")
            }
            #expect(stage.upstream.requests.count == 2)
            for seen in stage.upstream.requests {
                #expect(seen.fields["x-forwarded-for"] == [address])
                #expect(try stage.loggedClient(seen) == address)
            }
        }
    }

    @Test(
        .holds("ECO-76"), .enabled(if: Balancer.isInstalled(Balancer.haproxy)),
        arguments: [ProxyProtocolStage.Listener.plain, .secure],
        ["send-proxy", "send-proxy-v2", "send-proxy-v2 proxy-v2-options crc32c,unique-id,ssl,cert-cn,authority"])
    func `is HAProxy`(listener: ProxyProtocolStage.Listener, options: String) throws {
        try expectClients(
            by: .haproxy(to: stage.gateway.ports[listener.rawValue], options + " check inter 200ms"), listener)
        // Its checks are its own business.
        #expect(!stage.gateway.operatorLog.contains { $0["cause"] == "proxy_header_refused" && $0["level"] != "debug" })
    }

    @Test(
        .holds("ECO-76"), .enabled(if: Balancer.isInstalled(Balancer.nginx, Balancer.nginxModule)),
        arguments: [ProxyProtocolStage.Listener.plain, .secure])
    func `is nginx`(listener: ProxyProtocolStage.Listener) throws {
        try expectClients(by: .nginx(to: stage.gateway.ports[listener.rawValue]), listener)
    }

    @Test(
        .refuses("ECO-76"), .enabled(if: Balancer.isInstalled(Balancer.haproxy)),
        .byHTTP1(because: "what the client writes is no text of it"), arguments: ["send-proxy", "send-proxy-v2"])
    func `lets no client say that it is another`(options: String) throws {
        for listener in [ProxyProtocolStage.Listener.plain, .secure] {
            let balancer = try Balancer.haproxy(to: stage.gateway.ports[listener.rawValue], options)
            for header in [ProxyProtocolStage.line, ProxyProtocolStage.block, ProxyProtocolStage.local] {
                let client = try RawClient(port: balancer.port, from: "127.0.0.5")
                try client.send(header + Array(request("GET", "/a").utf8))
                let answer = try? client.response()
                #expect(answer == nil || answer?.status == 400, "\(answer?.headText ?? "")")
            }
        }
        #expect(stage.upstream.requests.isEmpty)
    }
}
