import Foundation
import Testing
import TestSupport

/// What was said between browser, gateway and server during one login.
extension LoginVisit {
    /// The query of the authorization URL.
    var authorizationQuery: [String: [String]] { (try? WebAddress(authorizationURL).parameters) ?? [:] }

    /// The parameters of the request that the server acted on, wherever they were, as texts.
    func requested() throws -> [String: String] {
        let url = authorizationQuery.compactMapValues(\.first)
        let pushed = asked("par").last.map { form($0.request.bodyText).compactMapValues(\.first) }
        switch one.form {
        case .plain: return url
        case .pushed: return try #require(pushed)
        case .signed: return try Self.claims(try #require(url["request"]))
        case .pushedSigned: return try Self.claims(try #require(pushed?["request"]))
        case .byReference:
            let fetched = try browser.send("GET", try #require(url["request_uri"]), fields: [])
            // It may be gone by now: then there is nothing to be said about it (JAR-22).
            return fetched.status == 200 ? try Self.claims(fetched.bodyText) : [:]
        }
    }

    private static func claims(_ object: String) throws -> [String: String] {
        let token = try SeenToken(object)
        #expect(token.header["typ"] as? String == "oauth-authz-req+jwt")
        #expect(token.header["kid"] != nil)
        return token.claims.compactMapValues { $0 as? String }
    }

    /// CF-04, JAR-24, PAR-04: what the browser carries is what the form needs, and nothing beside it.
    func expectAuthorizationURL() throws {
        let names = Set(authorizationQuery.keys)
        #expect(authorizationQuery.values.allSatisfy { $0.count == 1 }, "\(authorizationURL)")
        #expect(authorizationQuery["client_id"] == [one.clientID])
        switch one.form {
        case .plain:
            #expect(
                names.isSuperset(of: ["response_type", "redirect_uri", "scope", "state", "nonce", "code_challenge"]))
            #expect(authorizationQuery["code_challenge_method"] == ["S256"])
        case .signed: #expect(names == ["client_id", "request"], "\(names)")
        case .byReference, .pushed, .pushedSigned: #expect(names == ["client_id", "request_uri"], "\(names)")
        }
        let uri = try #require(
            one.form.isPushed || one.form == .byReference ? authorizationQuery["request_uri"] : [""])[0]
        if one.form == .byReference {
            #expect(uri.hasPrefix(stage.origin + "/.portcullis/request/") && uri.utf8.count <= 512, "\(uri)")
        }
        // Nobody reads along where the server speaks https.
        guard one.method != .certificate else { return }
        if one.form.isPushed {
            let pushes = asked("par")
            #expect(pushes.count == 1)
            let answer = try object(try #require(pushes.last).response.bodyText)
            #expect(answer["request_uri"] as? String == uri)
        } else {
            #expect(asked("par").isEmpty)
        }
    }

    /// PAR-01, PAR-02: the pushed form names the client, proves it, and with an object holds nothing else.
    func expectPush() throws {
        guard one.form.isPushed, let push = asked("par").last else { return }
        let names = Set(form(push.request.bodyText).keys)
        #expect(push.response.status == 201)
        #expect(form(push.request.bodyText)["client_id"] == [one.clientID])
        #expect(!names.contains("request_uri"))
        if one.form == .pushedSigned {
            let known: Set = ["request", "client_id", "client_assertion", "client_assertion_type", "client_secret"]
            #expect(names.subtracting(known).isEmpty, "\(names)")
            #expect(names.contains("request"))
        }
        try expectCredentials(push.request, at: push.request.path)
    }

    /// CF-30: the code goes to the token endpoint once, with the verifier and the redirect_uri of the request.
    func expectTokenRequest() throws {
        let exchanges = asked("token")
        #expect(exchanges.count == 1)
        let exchange = try #require(exchanges.first)
        let sent = form(exchange.request.bodyText)
        #expect(sent.values.allSatisfy { $0.count == 1 }, "\(sent.keys)")
        #expect(sent["grant_type"] == ["authorization_code"])
        let code = try WebAddress(callbackURL).parameters["code"]
        #expect(sent["code"] == code)
        #expect(sent["redirect_uri"] == ["\(stage.origin)/.portcullis/callback/\(one.name)"])
        #expect(sent["resource"] == [stage.server.resource])
        let asked = try requested()
        if !asked.isEmpty {
            #expect(asked["redirect_uri"] == sent["redirect_uri"]?.first)
            #expect(asked["code_challenge"] == digest(try #require(sent["code_verifier"]?.first)))
            #expect(asked["response_type"] == "code")
        }
        try expectCredentials(exchange.request, at: exchange.request.path)
        try expectBinding(asked: asked)
    }

    /// CA-02 … CA-06: the one method that is configured, and no other.
    private func expectCredentials(_ request: WireRequest, at path: String) throws {
        let sent = form(request.bodyText)
        let secret = try #require(stage.secrets[one.clientID])
        let basic = "Basic " + Data("\(one.clientID):\(secret)".utf8).base64EncodedString()
        #expect(request.fields.only("authorization") == (one.method == .basic ? basic : nil))
        #expect(sent["client_secret"] == (one.method == .post ? [secret] : nil))
        guard one.method == .secretJWT || one.method == .keyJWT else {
            #expect(sent["client_assertion"] == nil)
            return
        }
        #expect(sent["client_assertion_type"] == ["urn:ietf:params:oauth:client-assertion-type:jwt-bearer"])
        let assertion = try SeenToken(try #require(sent["client_assertion"]?.first))
        #expect(assertion.header["alg"] as? String == (one.method == .keyJWT ? "ES256" : "HS256"))
        #expect((assertion.header["kid"] as? String) == (one.method == .keyJWT ? "client-1" : nil))
        #expect(assertion.text("iss") == one.clientID)
        #expect(assertion.text("sub") == one.clientID)
        // This server wants the endpoint's own URL, as one text (CA-06).
        #expect(assertion.text("aud") == "http://127.0.0.1:\(stage.talk.port)" + path)
        #expect((assertion.text("jti") ?? "").utf8.count >= 16)
    }

    /// DPOP-40, DPOP-42, DPOP-44: one key of the session's own in the request, in every proof and in the token.
    private func expectBinding(asked: [String: String]) throws {
        let exchange = try #require(self.asked("token").first)
        let answer = try object(exchange.response.bodyText)
        let type = (answer["token_type"] as? String)?.lowercased()
        let token = try SeenToken(try #require(answer["access_token"] as? String))
        let confirmation = (token.claims["cnf"] as? [String: String])?["jkt"]
        #expect(token.text("aud") == stage.server.resource)
        guard one.isBound else {
            #expect(type == "bearer")
            #expect(confirmation == nil)
            #expect(talk.allSatisfy { !$0.request.fields.contains("dpop") })
            return
        }
        #expect(type == "dpop")
        let key = try #require(confirmation)
        if !asked.isEmpty, !one.form.isPushed { #expect(asked["dpop_jkt"] == key) }
        var identifiers: Set<String> = []
        for exchange in talk where exchange.request.fields.contains("dpop") {
            let proof = try SeenToken(try #require(exchange.request.fields.only("dpop")))
            #expect(proof.header["typ"] as? String == "dpop+jwt")
            #expect(proof.thumbprint == key)
            #expect(proof.text("htm") == exchange.request.method)
            #expect(proof.text("htu") == "http://127.0.0.1:\(stage.talk.port)" + exchange.request.path)
            let isAboutToken = exchange.request.path.hasSuffix("/userinfo")
            #expect((proof.text("ath") != nil) == isAboutToken)
            #expect(identifiers.insert(try #require(proof.text("jti"))).inserted)
        }
        #expect(!identifiers.isEmpty)
    }
}
