import Access
import Crypto
import HTTPMessage
import Login
import Sessions

extension WorkerRef {
    /// What the head says of a browser and its session, for an explanation, and where it was sent; decides nothing.
    func readSession(
        _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, _ pointer: LoginPointer?,
        into evidence: inout RequestEvidence
    ) {
        readBrowser(exchange, bytes, into: &evidence)
        guard let route = exchange.pointee.findings.route, let policy = route.pointee.login else { return }
        let settings = pointee.policy.logins[policy.pointee.login]
        var session = SessionEvidence(login: policy.pointee.login, cookieName: settings.session.cookieName)
        session.cookieCount = count(cookie: settings.session.cookieName, bytes)
        let value = headView(bytes).sessionValue(named: policy.pointee.cookieName.span)
        session.isLetInByNetwork = exchange.pointee.findings.isLetInByNetwork
        session.bytes = value?.count ?? 0
        session.isRepeated = value == nil && session.cookieCount > 1
        if let state = exchange.pointee.findings.token?.session {
            session.diagnosis = .lives
            describe(state.session, settings, into: &session)
            session.claims = exchange.pointee.findings.token?.claims
        } else if let value {
            session.diagnosis = pointee.identities.stores[policy.pointee.login].diagnose(
                value, now: clock.wallSeconds())
        }
        evidence.session = session
        if let pointer { evidence.loginStart = start(pointer, policy, evidence) }
    }

    private func describe(_ state: Session, _ settings: LoginSettings, into session: inout SessionEvidence) {
        session.subject = state.subject
        session.createdAt = state.createdAt
        session.endsAt = state.endsAt
        session.hasProofKey = state.proofKey != nil
        if state.accessToken != nil, state.accessTokenExpiresAt != .max {
            session.tokenExpiresAt = state.accessTokenExpiresAt
        }
        session.isRefreshDue =
            settings.refreshes
            && RefreshRules.refreshAt(state, showsIDToken: settings.session.needsIDToken) <= clock.wallSeconds()
    }

    private func start(
        _ pointer: LoginPointer, _ policy: FixedValue<LoginPolicy>, _ evidence: RequestEvidence
    ) -> LoginStartEvidence {
        // Made again of what may be shown: the target's query may have secrets, and the pointer has all of it.
        let isCut =
            pointer.location.hasPrefix(policy.pointee.startPath + "?return_to=%2F&")
            || pointer.location == policy.pointee.startPath + "?return_to=%2F"
        return LoginStartEvidence(
            isRedirect: pointer.isNavigation, path: policy.pointee.startPath,
            returnTo: pointer.isNavigation ? isCut ? "/" : evidence.target : nil,
            stepUp: pointer.location.contains("step_up=\(policy.pointee.stepUp)") ? policy.pointee.stepUp : -1,
            keepsForm: pointer.keepsForm)
    }

    private func readBrowser(
        _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, into evidence: inout RequestEvidence
    ) {
        let head = pointee.scratch.head
        var browser = BrowserEvidence()
        for index in 0..<head.pointee.fields.count {
            let slot = head.pointee.fields[index]
            let value = UnsafeBufferPointer(start: bytes + Int(slot.value.start), count: Int(slot.value.count))
            let text = String(decoding: value.prefix(64), as: UTF8.self)
            switch slot.id {
            case .secFetchSite: browser.fetchSite.append(text)
            case .secFetchMode: browser.fetchMode.append(text)
            case .secFetchDest: browser.fetchDestination.append(text)
            case .accept: browser.acceptsPages = browser.acceptsPages || AcceptField.wantsPage(value.span)
            default: continue
            }
        }
        browser.hasRequestedBy = headView(bytes).hasField("x-requested-by")
        browser.hasRequestedWith = headView(bytes).hasField("x-requested-with")
        browser.hasPurpose = headView(bytes).hasField("sec-purpose")
        browser.offersWebSocket = head.pointee.offersWebSocket
        browser.isNavigation = headView(bytes).isNavigation()
        evidence.browser = browser
    }

    /// Cookies that have the name, or the name of one of its chunks.
    private func count(cookie name: String, _ bytes: UnsafeMutablePointer<UInt8>) -> Int {
        headView(bytes).cookieField.split(separator: UInt8(ascii: ";")).count { pair in
            let found = pair.drop { $0 == 0x20 || $0 == 0x09 }.prefix { $0 != UInt8(ascii: "=") }
            guard found.starts(with: name.utf8) else { return false }
            let rest = found.dropFirst(name.utf8.count)
            return rest.isEmpty || rest.count == 2 && rest.first == UInt8(ascii: ".")
        }
    }
}

extension LoginRequest.Endpoint {
    /// What is answered here, as an explanation's heading says it.
    func words(_ logins: [LoginSettings]) -> String {
        func named(_ words: String, _ client: Int) -> String {
            "\(words) of \(logins.indices.contains(client) ? logins[client].name : "a client")"
        }
        switch self {
        case .start(let client): return named("the start of a login", client)
        case .callback(let client): return named("the callback", client)
        case .logout(let client): return named("the logout", client)
        case .loggedOut(let client): return named("the page after a logout", client)
        case .session(let client): return named("the session endpoint", client)
        case .backchannelLogout(let client): return named("the back-channel logout", client)
        case .frontchannelLogout(let client): return named("the front-channel logout", client)
        case .requestObject: return "a hosted request object"
        }
    }
}
