import Testing
import TestSupport

/// A second gateway at an address is a mistake, unless both say that they share it.
@Suite struct `an address where somebody listens` {
    private static func configuration(port: UInt16, admin: UInt16 = 0, _ keys: String = "") -> String {
        """
        workers: 2
        listeners: [{ address: "127.0.0.1:\(port)", public_url: "http://gateway.test"\(keys) }]
        admin: { address: "127.0.0.1:\(admin)" }
        routes: [{ path: /, upstream: "http://127.0.0.1:9", public: true }]

        """
    }

    @Test func `ends the start of a second gateway with status 1`() throws {
        let first = try GatewayProcess(Self.configuration(port: 0))
        for configuration in [
            Self.configuration(port: first.port), Self.configuration(port: 0, admin: first.adminPort),
        ] {
            let second = try GatewayProcess(configuration, until: .started)
            #expect(second.process.waitForEnd() == .exited(1))
            let said = second.process.errors.now.joined(separator: "\n")
            #expect(
                said.contains("bind: Address already in use\n    another process listens there:  ss -ltnp"), "\(said)")
            // Only listeners can be shared.
            #expect(said.contains("share_address") == configuration.contains("127.0.0.1:\(first.port)\""))
        }
    }

    @Test func `is shared by gateways of which the second says so, as by the successor of one that drains`() throws {
        let first = try GatewayProcess(Self.configuration(port: 0, ", share_address: true"))
        let second = try GatewayProcess(Self.configuration(port: first.port, ", share_address: true"))
        #expect(second.port == first.port)
    }
}
