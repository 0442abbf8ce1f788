package import HTTPMessage

extension AccessPolicy {
    /// Makes the upstream's head for a request that everything else lets through, and looks for room at the upstream;
    /// the count of the head's bytes.
    package typealias Plan = (inout Findings, inout Identities) throws(Refused) -> Int

    /// The judgement of one request: the way of it after its head was read, a line for each stage that decides.
    ///
    /// A function of its arguments: what it learns stays in `findings`, and who is known by now in `identities`. After a
    /// wait it is called again with the same findings, and looks at everything anew; but no signature that was verified
    /// is verified again. Whatever can refuse a request for what is at hand stands before the last step: a proof is spent
    /// by the one request that everything else lets through (DPOP-17). Where replicas share proofs their store is asked
    /// then, and nothing else is (SH-56).
    package borrowing func judge(
        _ head: HeadView, _ arrival: borrowing Arrival, _ identities: inout Identities, _ findings: inout Findings,
        plan: Plan
    ) -> Judgement {
        do throws(Refused) {
            findings.reached = .target
            findings.site = UInt16(truncatingIfNeeded: arrival.listener)
            findings.siteSet = siteSet
            if arrival.clearText != .served, try isRedirected(head, arrival, &findings) { return .redirectToHTTPS }
            try head.checkConnectionOptions(routes.reservedNames.pointee)
            try head.checkLoop(pseudonym.span)
            if try head.isForServer() { return .answerOptions }
            findings.reached = .publication
            let hasAssertionKeys = identities.assertionKeys != nil
            if let own = try publication(head, arrival, &findings, hasAssertionKeys: hasAssertionKeys) { return own }
            findings.reached = .route
            let route = try route(head, arrival, &identities.memory, &findings)
            findings.route = route
            findings.reached = .crossOrigin
            switch try crossOrigin(head, route, &findings) {
            case .none: break
            case .answered(let origin): return .answerPreflight(origin: origin)
            case .forwarded:
                try countAddress(arrival, route, &identities, &findings)
                try countIdentity(nil, arrival, route, &identities, &findings)
                return try forward(head, by: route, &findings, &identities, plan)
            }
            findings.reached = .addressLimit
            try countAddress(arrival, route, &identities, &findings)
            findings.reached = .method
            findings.methodRow = route.pointee.token.row(of: head.methodID, named: head.method)
            try head.permitMethod(route)
            if route.pointee.token.rights.namesGRPCMethods { findings.methodRow = try head.permitCall(route) }
            findings.reached = .origin
            try head.checkOrigin(route.pointee.origins)
            findings.reached = .webSocket
            findings.isWebSocketOffPath = try !head.checkWebSocket(for: route)
            findings.reached = .authenticate
            var known: TokenRecord?
            switch try authenticate(head, arrival, route, &identities, &findings) {
            case .wait(let wait): return .wait(wait)
            case .anonymous: break
            case .known(let token, let proof):
                findings.reached = .authorize
                try authorize(head, token, route, identities.issuers, findings.methodRow, now: arrival.now)
                findings.proved = proof
                known = token
            }
            findings.reached = .identityLimit
            try countIdentity(known, arrival, route, &identities, &findings)
            findings.reached = .exchange
            if let known {
                let wait = try exchangeToken(route, known, &findings, now: arrival.now)
                guard wait == .nothing else { return .wait(wait) }
            }
            findings.reached = .plan
            let judgement = try forward(head, by: route, &findings, &identities, plan)
            findings.reached = .spend
            if let proof = findings.proved {
                let wait = try spend(proof, &findings, in: identities.replay, now: arrival.now)
                guard wait == .nothing else { return .wait(wait) }
            }
            findings.reached = .end
            return judgement
        } catch {
            return .refuse(error)
        }
    }

    /// Plans the upstream's head, unless the request may go no further.
    private borrowing func forward(
        _ head: HeadView, by route: FixedValue<Route>, _ findings: inout Findings, _ identities: inout Identities,
        _ plan: Plan
    ) throws(Refused) -> Judgement {
        guard !head.isLastHop else { return .answerOptions }
        if route.pointee.rewrite != nil { try route.pointee.checkPrefix(of: head.path) }
        if route.pointee.answer != nil { return .answerRoute(route) }
        return .forward(by: route, headCount: try plan(&findings, &identities))
    }
}
