import TestSupport

extension GatewayProcess {
    /// A gateway with one public route to an upstream in flow style, named by `via` to those behind it.
    static func before(
        _ upstream: String, via: String, files: [String: String] = [:]
    ) throws -> GatewayProcess {
        try GatewayProcess(
            """
            workers: 1
            listeners: [{ address: "127.0.0.1:0", public_url: "http://gateway.test", http2: true }]
            admin: { address: "127.0.0.1:0" }
            routes: [{ path: /, public: true, upstream: \(upstream) }]
            via: \(via)
            log: { level: debug }

            """, files: files)
    }
}
