import TestSupport
import TestTraits
import Testing

/// What the operator reads of issuers whose keys or metadata are odd, word for word.
@Suite struct `the words about an issuer` {
    /// The lines that are there once a later event has been written: the log keeps their order.
    private func lines(_ event: String, _ stage: Stage) throws -> [LogLine] {
        let refused = try stage.exchange("GET", "/orders/a")
        let id = refused.fields.only("x-request-id")
        _ = try #require(stage.gateway.operatorLine { $0["request_id"] == id })
        return stage.gateway.operatorLog.filter { $0["event"] == event }
    }

    /// A stage whose issuer publishes these keys beside its own.
    private func stage(_ others: [String]) throws -> Stage {
        var plan = StagePlan()
        plan.prepare = { issuer in
            let own = issuer.keys.dropFirst("{\"keys\":[".count).dropLast("]}".count)
            issuer.publish(keys: SigningKey.keySet(jwks: [String(own)] + others))
        }
        return try Stage(plan)
    }

    @Test(.refuses("JOSE-18")) func `say nothing of keys that are for encryption, which is no fault`() throws {
        let stage = try stage([
            SigningKey.otherP256.publicJWK(["use": quoted("enc"), "kid": quoted("enc-1")]),
            SigningKey.p384.publicJWK(["use": quoted("enc"), "kid": quoted("enc-2"), "alg": quoted("ECDH-ES")]),
            #"{"kty":"OKP","crv":"X25519","use":"enc","kid":"enc-3","x":"hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo"}"#,
        ])
        #expect(try lines("key_ignored", stage).isEmpty)
        let ready = try #require(try lines("issuer_ready", stage).first)
        #expect(ready["count"] == "1", "\(ready.raw)")
        #expect(try stage.exchange("GET", "/orders/a", fields: [stage.tokens.bearer()]).status == 200)
    }

    @Test(.refuses("JOSE-18")) func `say how many keys cannot be used that ought to be`() throws {
        let stage = try stage([
            SigningKey.otherP256.publicJWK(["use": quoted("enc"), "kid": quoted("enc-1")]),
            #"{"kty":"EC","crv":"P-256","kid":"broken","x":"AA","y":"AA"}"#,
            #"{"kty":"EC","crv":"secp256k1","kid":"unknown","x":"AA","y":"AA"}"#,
        ])
        let told = try lines("key_ignored", stage)
        #expect(told.count == 1)
        let line = try #require(told.first)
        #expect(line["level"] == "warning" && line["issuer"] == "main" && line["count"] == "2", "\(line.raw)")
        #expect(try stage.exchange("GET", "/orders/a", fields: [stage.tokens.bearer()]).status == 200)
    }

    @Test(.refuses("MD-08")) func `say which endpoint nothing is sent to, what it has and what it may have`() throws {
        var plan = StagePlan.lookups()
        plan.prepare = { issuer in
            issuer.publish(
                metadata: issuer.metadata(["introspection_endpoint": "http://127.0.0.2:9/introspect?x=1"]))
        }
        let stage = try Stage(plan)
        let line = try #require(stage.gateway.operatorLine { $0["event"] == "endpoint_refused" })
        #expect(line["level"] == "error" && line["issuer"] == "main", "\(line.raw)")
        #expect(line["setting"] == "clients.asker", "\(line.raw)")
        let port = stage.issuer.server.port
        #expect(
            line["expected"]
                == "port 443 or \(port), any port of 127.0.0.1 by https, or one in allow_ports of the issuer",
            "\(line.raw)")
        #expect(line["found"] == "introspection_endpoint is http://127.0.0.2:9/introspect?x=1", "\(line.raw)")
        #expect(try lines("endpoint_refused", stage).count == 1)
    }

    @Test(.holds("MD-08")) func `say nothing of endpoints that are asked`() throws {
        let stage = try Stage(.lookups())
        #expect(try lines("endpoint_refused", stage).isEmpty)
        #expect(try stage.ask(opaqueToken()).status == 200)
    }
}
