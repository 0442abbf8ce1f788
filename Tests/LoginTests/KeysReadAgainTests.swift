import Crypto
import HTTPMessage
import JOSE
import OAuth
import Refusals
import Sessions
import TestSupport
import TestTraits
import Testing

@testable import Issuers
@testable import Login

/// Whatever is verified by the server's keys, when it is signed by none that is at hand under its name.
@Suite(.timeLimit(.minutes(10)))
struct KeysReadAgainTests {
    enum Signed: CaseIterable { case logoutToken, response, idToken, userInfo, refreshedIDToken }

    enum Outcome: Equatable {
        case taken
        case refused(Refusal)
        /// A refreshed session whose claims are the old ones.
        case unread
        case ended
    }

    /// The key that the server signs by now, under the name of the one that is at hand.
    private static let replacement = SigningKey(renaming: .otherP256, keyID: SigningKey.p256.keyID)

    /// The new key under the number of the old one: if it verifies anything, something was verified twice by keys that
    /// count as the same.
    private func underOldNumber(_ server: ScriptedServer) throws -> IssuerKeys {
        let (old, new) = (try server.keys(), try server.keys([Self.replacement]))
        return IssuerKeys(
            generation: 1, version: old.version, keySet: new.keySet, fetchedAt: new.fetchedAt, usableUntil: .max)
    }

    /// What comes of something that the new key signed, when reading the keys again comes to `reading`.
    private func outcome(
        of signed: Signed, _ reading: (ScriptedServer) throws -> KeyReading.Outcome
    ) async throws -> Outcome {
        switch signed {
        case .logoutToken: return try await logout(reading)
        case .refreshedIDToken: return try await refresh(reading)
        case .response, .idToken, .userInfo: break
        }
        let world = try LoginWorld {
            if signed == .response { $0.authorization.responseMode = .jwt }
            if signed == .userInfo { $0.userInfo = .required }
        }
        world.readKeys(try reading(world.server))
        switch signed {
        case .response:
            world.server.habits.responseKey = Self.replacement
            world.server.habits.idTokenKey = Self.replacement
        case .userInfo: world.server.habits.userInfoAnswer = .success(userInfo(by: Self.replacement))
        default: world.server.habits.idTokenKey = Self.replacement
        }
        var browser = Browser()
        let answer = try await world.login(&browser)
        if let refusal = answer.refusal {
            #expect((refusal == .loginKeysUnavailable) == answer.fields.contains { $0.0 == "Retry-After" })
            return .refused(refusal)
        }
        return answer.location == "/orders" ? .taken : .ended
    }

    private func userInfo(by key: SigningKey) -> FetchResponse {
        let token = TokenMint.sign(
            header: "{\"alg\":\"ES256\",\"kid\":\"\(key.keyID ?? "")\"}",
            claims: "{\"iss\":\"\(ScriptedServer.issuer)\",\"aud\":\"shop-web\",\"sub\":\"user-1\"}", key: key,
            algorithm: .es256)
        return FetchResponse(status: 200, contentType: "application/jwt", body: Array(token.utf8))
    }

    private func logout(_ reading: (ScriptedServer) throws -> KeyReading.Outcome) async throws -> Outcome {
        let world = try SignedIn(store: .memory) { $0.logout.backchannel = true }
        world.readKeys(try reading(world.server))
        let token = LogoutTokens.token(world, key: Self.replacement)
        let answer = await LogoutTokens.post(world, "logout_token=\(token)")
        if let refusal = answer.refusal {
            #expect((refusal == .loginKeysUnavailable) == answer.fields.contains { $0.0 == "Retry-After" })
            return .refused(refusal)
        }
        return .taken
    }

    private func refresh(_ reading: (ScriptedServer) throws -> KeyReading.Outcome) async throws -> Outcome {
        let world = try SignedIn()
        world.readKeys(try reading(world.server))
        world.server.habits.idTokenKey = Self.replacement
        world.server.habits.idTokenClaims = ["email": "\"new@example.com\"", "email_verified": "true"]
        let (session, value) = try await world.logIn()
        world.becomeDue()
        guard case .session(let next, _) = await world.refreshes.refresh(session, value: value, client: 0) else {
            return .ended
        }
        #expect(next.refreshToken?.reveal() != session.refreshToken?.reveal())
        return next.claims == session.claims ? .unread : .taken
    }

    @Test(.holds("OIDC-17"), arguments: Signed.allCases)
    func `A new key under an old name is found`(_ signed: Signed) async throws {
        #expect(try await outcome(of: signed) { .others(try $0.keys([Self.replacement])) } == .taken)
    }

    @Test(
        .holds("OIDC-17"),
        arguments: [
            (.logoutToken, .refused(.logoutTokenInvalid)), (.response, .refused(.loginResponseNotSigned)),
            (.idToken, .refused(.loginIDTokenInvalid)), (.userInfo, .refused(.loginUserInfoInvalid)),
            (.refreshedIDToken, .ended),
        ] as [(Signed, Outcome)])
    func `Where the keys are what they were, nothing is verified a second time`(
        _ signed: Signed, _ expected: Outcome
    ) async throws {
        #expect(try await outcome(of: signed) { .others(try self.underOldNumber($0)) } == expected)
        #expect(try await outcome(of: signed) { _ in .same } == expected)
    }

    @Test(
        .refuses("OIDC-17", "RF-07"),
        arguments: [
            (.logoutToken, .refused(.loginKeysUnavailable)), (.response, .refused(.loginKeysUnavailable)),
            (.idToken, .refused(.loginKeysUnavailable)), (.userInfo, .refused(.loginKeysUnavailable)),
            (.refreshedIDToken, .unread),
        ] as [(Signed, Outcome)])
    func `Where the keys cannot be read again, nothing is called a forgery`(
        _ signed: Signed, _ expected: Outcome
    ) async throws {
        #expect(try await outcome(of: signed) { _ in .failed } == expected)
    }

    @Test(.refuses("OIDC-17", "JOSE-17"), arguments: [Signed.logoutToken, .response])
    func `Where a stranger has just had the keys read, nothing is called a forgery`(
        _ signed: Signed
    ) async throws {
        #expect(try await outcome(of: signed) { _ in .suppressed } == .refused(.loginKeysUnavailable))
    }

    @Test(.holds("JOSE-17")) func `Logout tokens, responses and logins have the keys read each on their own account`()
        async throws
    {
        let loggedOut = try SignedIn(store: .memory) { $0.logout.backchannel = true }
        _ = await LogoutTokens.post(
            loggedOut, "logout_token=\(LogoutTokens.token(loggedOut, key: Self.replacement))")
        #expect(loggedOut.askers == [.logoutToken])

        let world = try LoginWorld { $0.authorization.responseMode = .jwt }
        world.server.habits.responseKey = Self.replacement
        var browser = Browser()
        #expect(try await world.login(&browser).refusal == .loginResponseNotSigned)
        #expect(world.askers == [.response])

        world.forgetMetadata(comesBack: false)
        #expect(await world.start(&browser).refusal == .loginServerUnavailable)
        #expect(world.askers == [.response, .metadata])
    }

    @Test(.holds("ECO-81", "OIDC-17")) func `Keys are read again on behalf of whoever sent what they do not verify`()
        async throws
    {
        let world = try LoginWorld { $0.authorization.responseMode = .jwt }
        world.server.habits.responseKey = Self.replacement
        let client = AskingClient((1, 2))
        var browser = Browser()
        let response = try await world.authorize(await world.start(&browser))
        var request = world.request(response, browser)
        request.client = client
        #expect(await world.service.answer(request).refusal == .loginResponseNotSigned)
        #expect(world.askers == [.response] && world.askingClients == [client])
    }

    @Test(.refuses("OIDC-17")) func `Keys that were never there are no worse where they could not be read either`()
        async throws
    {
        let world = try LoginWorld()
        world.know([])
        world.readKeys(.failed)
        var browser = Browser()
        #expect(try await world.login(&browser).refusal == .loginKeysUnavailable)
    }
}
