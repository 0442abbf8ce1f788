import TestSupport
import TestTraits
import Testing

/// Row SH-67 over real sockets: what two gateways with one store do not tell each other.
@Suite(.serialized, .byEachProtocol) struct `what an authorization server says of a token` {
    private static let route = """
        { path: /bound/, upstream: $UPSTREAM, token: { issuers: [main], schemes: [DPoP, Bearer], \
        audience: "\(TokenForge.audience)" } }
        """

    @Test(.holds("SH-67"), .refuses("SH-67"))
    func `is asked for by each replica, remembered there, and not in the store`() throws {
        let store = try StoreServer()
        var plan = StagePlan.lookups("cache: 5m")
        plan.routes = Stage.ordinaryRoutes + [Self.route]
        plan.settings += "\n" + Fleet.settings(store, "shares: [proofs], " + Fleet.patiently)
        plan.files.merge(Fleet.keys) { $1 }
        let stage = try Stage(plan)
        let other = try stage.another()
        let token = opaqueToken()
        for _ in 0..<3 {
            #expect(try stage.ask(token).status == 200, "\(stage.gateway.diagnosis)")
            let answer = try other.exchange(request("GET", "/orders/a", fields: ["Authorization: Bearer \(token)"]))
            #expect(answer.status == 200, "\(other.diagnosis)")
        }
        #expect(stage.lookups == 2)
        let contents = try store.contents()
        #expect(contents.contains("pc:epoch"))
        for word in [token, "alice", "client-1", "orders:read"] { #expect(!contents.contains(word)) }
    }
}
