import Access
import EventLoop
import Issuers
import JOSE
import Telemetry
import TestTraits
import Testing

@testable import Gateway

@Suite struct `keys of assertions over a reload` {
    /// A worker is given its configuration when it is prepared, and serves by it seconds later: the keys of that time may
    /// be published no more.
    @Test(.holds("OPS-07"))
    func `a worker signs with the keys of when it begins to serve, not of when it was prepared`() throws {
        let idle = try IdleWorker(schemes: [.bearer], credential: .assertion(AssertionSettings(audience: "a")))
        defer { withExtendedLifetime(idle) {} }
        let gateway = idle.gateway
        var settings = gateway.settings
        // Other keys than those that sign now.
        settings.assertionKeys.algorithm = .es384
        let labels = MetricsLabels(settings)
        let slots = gateway.registry.extend(labels, keeping: [gateway.generation.labels])
        let next = try Generation(
            2, settings, labels, metricsSlots: slots.routes, gateway, continuing: gateway.generation)
        let thread = gateway.workers[0]
        let loop = thread.loop
        let prepared = try thread.prepare(
            next, slots.workers[0], from: gateway.generation, beside: nil, gateway, onInstalled: { loop.stop() })
        let before = try #require(next.assertionKeys?.keys)
        // What a rotation makes of them while the new configuration waits.
        let rotated = try #require(
            try AssertionKeyRotation(settings, loop: gateway.control, operatorLog: gateway.operatorLog))
        #expect(rotated.keys.signer.keyID != before.signer.keyID)
        thread.install(prepared, rotated.keys)
        loop.run()
        #expect(idle.worker.pointee.identities.assertionKeys?.signer.keyID == rotated.keys.signer.keyID)
        #expect(idle.worker.pointee.policy.generation == 2)
    }

    @Test(.holds("OPS-07")) func `keys that were made go on under a configuration that asks for such keys`() throws {
        let idle = try IdleWorker(schemes: [.bearer], credential: .assertion(AssertionSettings(audience: "a")))
        defer { withExtendedLifetime(idle) {} }
        let gateway = idle.gateway
        func next(_ change: (inout GatewaySettings) -> Void) throws -> AssertionKeyRotation? {
            var settings = gateway.settings
            change(&settings)
            let labels = MetricsLabels(settings)
            let slots = gateway.registry.extend(labels, keeping: [gateway.generation.labels])
            return try Generation(
                2, settings, labels, metricsSlots: slots.routes, gateway, continuing: gateway.generation
            ).assertionKeys
        }
        let current = try #require(gateway.generation.assertionKeys)
        let alike = try next { $0.timeouts.drain += .seconds(1) }
        #expect(alike === current)
        let others = try next { $0.assertionKeys.algorithm = .es384 }
        #expect(others != nil && others !== current)
        let none = try next { $0.routes[0].credential = .none }
        #expect(none == nil)
    }
}
