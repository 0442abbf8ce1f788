import Glibc
import Testing
import TestSupport

/// One DPoP request, right in everything until a test changes one thing.
struct ProofCall {
    var method = "GET"
    var path = "/bound/a"
    /// What the client believes the URL to be.
    var url: String?
    /// Claims of the access token that differ, as JSON text.
    var token: [String: String?] = [:]
    var client = ProofMint(key: .otherP256)
    /// Header and claims of the proof that differ.
    var header: [String: String?] = [:]
    var claims: [String: String?] = [:]
    var signer: SigningKey?
    /// Seconds by which the client's clock is wrong.
    var clock = 0
    var scheme = "DPoP"
    /// Field lines in place of the one with the proof.
    var proofLines: ((String) -> [String])?
    /// Another token than the proof was made for.
    var tokenSent: String?

    /// The field lines of the request.
    func fields(_ stage: Stage) -> [String] {
        let token = stage.tokens.token(
            ["cnf": client.confirmation].merging(self.token) { $1 })
        return fields(token: token)
    }

    /// The same for a token that is at hand.
    func fields(token: String) -> [String] {
        let url = url ?? "http://gateway.test" + (path.split(separator: "?").first.map(String.init) ?? "/")
        var mint = client
        mint.method = method
        mint.target = url
        mint.token = token
        mint.now = Int64(time(nil)) + Int64(clock)
        let id = "\(UInt64.random(in: 0...UInt64.max))-\(UInt64.random(in: 0...UInt64.max))"
        let proof = TokenMint.sign(
            header: mint.headerText(header), claims: mint.claimsText(id: id, claims), key: signer ?? mint.key,
            algorithm: mint.algorithm)
        return ["Authorization: \(scheme) \(tokenSent ?? token)"] + (proofLines?(proof) ?? ["DPoP: \(proof)"])
    }

    /// Sends it on a connection of its own.
    func send(_ stage: Stage) throws -> WireResponse {
        try stage.exchange(method, path, fields: fields(stage))
    }
}

extension ProofMint {
    /// `cnf` of a token that is bound to this client's key, as JSON text.
    var confirmation: String { "{\"jkt\":\"\(thumbprint)\"}" }
}

/// The challenges of a response, by scheme, each read strictly.
func challenges(_ response: WireResponse) throws -> [String: WireChallenge] {
    var found: [String: WireChallenge] = [:]
    for value in response.fields["www-authenticate"] {
        let challenge = try WireChallenge(value)
        #expect(found[challenge.scheme] == nil, "\(response.headText)")
        found[challenge.scheme] = challenge
    }
    return found
}

/// E-PROOF, and the check that failed in the operator's log.
func expectInvalidProof(
    _ response: WireResponse, _ stage: Stage, check: String, cause: String? = nil,
    at location: SourceLocation = #_sourceLocation
) throws {
    expectTemplate(response, status: 401, at: location)
    let dpop = try #require(try challenges(response)["DPoP"], "\(response.headText)", sourceLocation: location)
    #expect(dpop["error"] == "invalid_dpop_proof", "\(response.headText)", sourceLocation: location)
    #expect(dpop["algs"] == "ES256 PS256 EdDSA", "\(response.headText)", sourceLocation: location)
    #expect(dpop["error_description"]?.isEmpty == false, sourceLocation: location)
    try expectLogged(response, stage, check: check, cause: cause, at: location)
}

/// E-TOKEN in the challenge of the scheme that was tried, and only there.
func expectInvalidToken(
    _ response: WireResponse, _ stage: Stage, scheme: String, check: String,
    at location: SourceLocation = #_sourceLocation
) throws {
    expectTemplate(response, status: 401, at: location)
    for (name, challenge) in try challenges(response) {
        #expect(
            challenge["error"] == (name == scheme ? "invalid_token" : nil), "\(response.headText)",
            sourceLocation: location)
    }
    #expect(try challenges(response)[scheme] != nil, "\(response.headText)", sourceLocation: location)
    try expectLogged(response, stage, check: check, at: location)
}

/// The operator's line of this response names the check that failed, and the client learns nothing of it.
func expectLogged(
    _ response: WireResponse, _ stage: Stage, check: String, cause: String? = nil,
    at location: SourceLocation = #_sourceLocation
) throws {
    let id = response.fields.only("x-request-id")
    let line = try #require(
        stage.gateway.operatorLine(where: { $0["request_id"] == id && $0["event"] == "refused" }),
        sourceLocation: location)
    #expect(line["check"] == check, "\(line)", sourceLocation: location)
    if let cause { #expect(line["cause"] == cause, "\(line)", sourceLocation: location) }
    #expect(!response.headText.contains(check), sourceLocation: location)
}
