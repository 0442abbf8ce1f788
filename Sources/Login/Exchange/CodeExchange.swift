import Crypto
import HTTPMessage
import Issuers
import JOSE
import OAuth
import Refusals
import Sessions

/// Turns a code into a session: tokens, who the user is, what was granted, and then the session.
///
///     code ─▶ tokens ─▶ ID token ─▶ scopes ─▶ userinfo ─▶ session ─▶ 303 to where the login began
///               │           └ not authenticated as demanded: asked once more
///               └ whatever fails from here on, the tokens are given back
struct CodeExchange: Sendable {
    let revocations: RevocationQueue

    /// What came of a code.
    enum Result: Sendable {
        case session(LoginAnswer, Session)
        /// The user is known, but was not authenticated as demanded (OIDC-09, STEP-04).
        case insufficient(LoginFailure)
    }

    /// Redeems the code, once, at the server that this client belongs to and at no other (CF-23).
    func redeem(
        _ code: Secret, _ callback: Callback, _ server: ServerMetadata
    ) async throws(LoginFailure) -> Result {
        let place = callback.place
        let secrets = try place.secrets(of: callback.transaction)
        let proof = try place.proofMaker(secrets, at: server)
        let tokens = try await self.tokens(for: code, callback, secrets, proof)
        let given = IssuedTokens(
            response: tokens, receivedAt: place.now,
            proofKey: tokens.tokenType == .dpop ? secrets.proofKeyScalar : nil)
        do throws(LoginFailure) {
            return try await session(of: given, code: code, callback, secrets, proof)
        } catch {
            // Nobody will ever present them.
            revocations.revoke(given.discarded(by: place), client: place.index, within: place.trace)
            throw error
        }
    }

    private func tokens(
        for code: Secret, _ callback: Callback, _ secrets: LoginSecrets, _ proof: ProofMaker?
    ) async throws(LoginFailure) -> TokenResponse {
        let place = callback.place
        let parameters = TokenRequest.authorizationCode(
            code, redirectURI: place.redirectURI(callback.request.publicURL), verifier: secrets.verifier,
            resources: place.settings.authorization.resources)
        let response: FetchResponse
        do throws(ServerRefusal) {
            // CA-16: a code that may have arrived is spent, and a second use of it would end what came of the first.
            response = try await place.post(
                parameters, to: { $0.token }, for: .code, sender: callback.request.network, proof: proof,
                repetition: .never)
        } catch {
            throw TokenFailure.failure(error)
        }
        do throws(TokenResponseRefusal) {
            return try TokenResponse.read(
                response, expects: proof == nil ? .bearer : .dpop, lenientExpiresIn: place.settings.lenientExpiresIn,
                custom: place.settings.tokenCustom)
        } catch {
            throw TokenFailure.failure(error, isProven: proof != nil)
        }
    }

    private func session(
        of tokens: IssuedTokens, code: Secret, _ callback: Callback, _ secrets: LoginSecrets, _ proof: ProofMaker?
    ) async throws(LoginFailure) -> Result {
        let place = callback.place
        if let endpoint = place.settings.identityFrom {
            return try await session(of: tokens, by: endpoint, callback, proof)
        }
        let check = IdentityCheck(
            place: place, nonce: secrets.nonce, code: code, demand: callback.demand, tokens: tokens.response)
        let verified: VerifiedIDToken
        switch try await check.identity() {
        case .verified(let token): verified = token
        case .insufficient(let failure):
            revocations.revoke(tokens.discarded(by: place), client: place.index, within: place.trace)
            return .insufficient(failure)
        }
        let identity = LoginIdentity(verified)
        let granted = try granted(tokens, to: identity, callback)
        let userInfo = try await UserInfoQuestion(place: place, tokens: tokens, proof: proof).claims(of: verified)
        let claims = UserInfo.merge(
            idToken: verified, userInfo: userInfo, names: place.settings.uses.claimNames,
            requiresVerifiedEmail: place.settings.requiresVerifiedEmail)
        return try await session(tokens, identity, granted, claims: claims, callback)
    }

    /// The same at a server that makes no ID tokens: who it is, its own endpoint says, or nobody does (OIDC-18).
    private func session(
        of tokens: IssuedTokens, by endpoint: UserEndpointSettings, _ callback: Callback, _ proof: ProofMaker?
    ) async throws(LoginFailure) -> Result {
        let (identity, claims) = try await UserEndpointQuestion(
            place: callback.place, endpoint: endpoint, accessToken: tokens.response.accessToken,
            proof: tokens.proofKey == nil ? nil : proof, sender: callback.request.network, purpose: .code
        ).user()
        let granted = try granted(tokens, to: identity, callback)
        return try await session(tokens, identity, granted, claims: claims, callback)
    }

    /// What was granted, if it is what every route needs (CF-32).
    private func granted(
        _ tokens: IssuedTokens, to identity: LoginIdentity, _ callback: Callback
    ) throws(LoginFailure) -> GrantedScopes {
        let place = callback.place
        let granted = GrantedScopes(tokens.response, requested: place.settings.authorization.scopes)
        let missing = granted.missing(of: place.settings.uses.neededScopes)
        guard missing.isEmpty else {
            place.audit(.refused(.loginScopeNotGranted), identity, in: callback.request)
            throw LoginFailure(
                .loginScopeNotGranted, check: "CF-32", expected: "scope \(missing.joined(separator: " "))",
                found: "scope \(granted.scopes.joined(separator: " "))")
        }
        return granted
    }

    private func session(
        _ tokens: IssuedTokens, _ identity: LoginIdentity, _ granted: GrantedScopes, claims: [UInt8],
        _ callback: Callback
    ) async throws(LoginFailure) -> Result {
        let making = SessionMaking(place: callback.place, callback: callback, revocations: revocations)
        let session = making.session(tokens, identity, scopes: granted.scopes, claims: claims)
        return .session(try await making.answer(session), session)
    }
}

/// The tokens of one login, from the moment they are there.
struct IssuedTokens: Sendable {
    let response: TokenResponse
    /// Seconds since 1970.
    let receivedAt: Int64
    /// The private number of the key they are bound to.
    let proofKey: Secret?

    /// Seconds since 1970.
    var expiresAt: Int64 { receivedAt + response.expiresIn }

    /// A session that never was, for giving its tokens back.
    func discarded(by place: LoginClient) -> Session {
        var session = Session(
            id: [], client: place.settings.name, issuer: place.issuer.url, subject: "", claims: [], scopes: [],
            createdAt: receivedAt, endsAt: receivedAt)
        session.accessToken = response.accessToken
        session.proofKey = proofKey
        session.refreshToken = response.refreshToken
        return session
    }
}

extension Callback {
    /// How the user must have been authenticated: what the client always asks for, and what a route does (OIDC-09).
    var demand: AuthenticationDemand? {
        let settings = place.settings.authorization
        let acrValues = transaction.stepUp.flatMap { $0.acrValues.isEmpty ? nil : $0.acrValues } ?? settings.acrValues
        let ages = [settings.maximumAge, transaction.stepUp?.maximumAge].compactMap(\.self)
        guard !acrValues.isEmpty || !ages.isEmpty else { return nil }
        return AuthenticationDemand(acrValues: acrValues, maximumAge: ages.min(), askedAt: transaction.createdAt)
    }
}
