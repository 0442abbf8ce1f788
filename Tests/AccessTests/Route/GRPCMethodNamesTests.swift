import HTTPMessage
import TestSupport
import TestTraits
import Testing

@testable import Access

@Suite struct `the scopes of a gRPC method` {
    private static let scopes = [
        "/a.S/Get": ["read"], "/a.S/Put": ["write"], "/b.T/*": ["admin"], "/b.T/Get": ["read"], "/a.S.V1/*": ["old"],
    ]
    private let mint = TokenMint(now: JudgeRig.now)

    private func rig(
        _ scopes: [String: [String]] = Self.scopes, path: String = "/",
        _ change: (inout TokenSettings) -> Void = { _ in }
    ) throws -> JudgeRig {
        try JudgeRig([
            JudgeRig.route(path) { _, token in
                token.rights.scopesByGRPCMethod = scopes
                change(&token)
            }
        ])
    }

    private func call(_ rig: JudgeRig, _ path: String, _ scope: String?, method: String = "POST") throws
        -> JudgeRig.Outcome
    {
        var lines = ["\(method) \(path) HTTP/1.1", "Host: api.example", "Content-Length: 0"]
        if let scope { lines.append("Authorization: Bearer \(mint.accessToken(claims: ["scope": "\"\(scope)\""]))") }
        return try rig.judgeOnce(lines)
    }

    @Test(
        .holds("H2-90"),
        arguments: [
            ("/a.S/Get", "read"), ("/a.S/Put", "write"), ("/a.S/Put?x", "write"), ("/b.T/Get", "read"),
            ("/b.T/List", "admin"),
            ("/b.T/get_all-1", "admin"), ("/a.S.V1/Any", "old"),
        ])
    func `are those of its own name, or else of its service`(path: String, scope: String) throws {
        let rig = try rig()
        #expect(try call(rig, path, scope).isForwarded)
        for other in ["read", "write", "admin", "old"] where other != scope {
            let outcome = try call(rig, path, other)
            #expect(outcome.cause == .scopeInsufficient && outcome.refused?.detail.expected == scope, "\(other)")
        }
        #expect(try call(rig, path, nil).cause == .credentialsMissing)
    }

    @Test(
        .refuses("H2-90"),
        arguments: [
            "/a.S/List", "/a.S/Put/", "/a.S/put", "/a.s/Put", "/a.S/Pu%74", "/a.S/Put.", "/c.U/Get", "/", "/a.S/",
            "/a.S", "/b.T/",
            "/b.T/a/b", "/b.T/get", "/b.T/*", "/b.T/a%20b", "/b.t/List", "/B.T/List", "/b.T/a~b", "/b.T/1", "/b.T/-a",
            "/x",
            "/a.S/Get/x", "/b.T/Get;x",
        ])
    func `are nobody's where the path is of no name, however it is spelt`(path: String) throws {
        for optional in [false, true] {
            let rig = try rig { $0.optional = optional }
            for scope in ["read write admin old", nil] {
                let outcome = try call(rig, path, scope)
                #expect(!outcome.isForwarded)
                #expect(outcome.cause == .grpcMethodNotAllowed || outcome.cause == .pathAmbiguous, "\(path)")
                if outcome.cause == .grpcMethodNotAllowed { #expect(outcome.reached == .method) }
            }
        }
    }

    @Test(.refuses("H2-90"), arguments: ["//a.S/Put", "/a.S//Put", "/a.S%2FPut", "/b.T/..;/Get", "/b.T/./Get"])
    func `are never found by a path that somebody else might read so`(path: String) throws {
        let rig = try JudgeRig([
            JudgeRig.route("/") { route, token in
                route.pathAllowances = [.encodedSlash, .semicolon]
                token.rights.scopesByGRPCMethod = Self.scopes.merging(["/*": []]) { $1 }
            }
        ])
        #expect(!(try call(rig, path, "read write admin old").isForwarded))
    }

    @Test(.holds("H2-90")) func `may be those of all others, which are no spelling of one that is named`() throws {
        let rig = try rig(["/a.S/Put": ["write"], "/a.S/*": ["read"], "/*": ["any"]])
        #expect(try call(rig, "/a.S/Put", "write").isForwarded)
        #expect(try call(rig, "/a.S/Get", "read").isForwarded)
        #expect(try call(rig, "/c.U/Get", "any").isForwarded)
        for path in ["/a.S/PUT", "/A.S/Put", "/A.S/Get", "/a.s/Other", "/a.S/Put/", "/c.U/Get/x", "/c.U"] {
            #expect(try call(rig, path, "any read write").cause == .grpcMethodNotAllowed, "\(path)")
        }
    }

    @Test(.refuses("H2-90")) func `are asked of no other method than POST`() throws {
        let rig = try rig()
        for method in ["GET", "HEAD", "PUT", "OPTIONS", "PURGE"] {
            #expect(try call(rig, "/a.S/Get", "read", method: method).cause == .methodNotAllowed, "\(method)")
        }
    }

    @Test(.refuses("H2-90")) func `leave other rights as they are`() throws {
        let rig = try rig {
            $0.rights.scopes = ["never"]
            $0.authorizationDetailsByMethod = ["POST": [AuthorizationDetailsRule(type: "payment")]]
        }
        #expect(try call(rig, "/a.S/Get", "read").cause == .authorizationDetailsInsufficient)
        let lines = [
            "POST /a.S/Get HTTP/1.1", "Host: api.example", "Content-Length: 0",
            "Authorization: Bearer "
                + mint.accessToken(claims: ["scope": "\"read\"", "authorization_details": "[{\"type\":\"payment\"}]"]),
        ]
        #expect(try rig.judgeOnce(lines).isForwarded)
    }

    @Test func `are found for explanations by the same rules`() {
        let settings = RightsSettings(scopesByGRPCMethod: Self.scopes)
        #expect(settings.grpcMethod(ofCall: "/b.T/List") == "/b.T/*")
        #expect(settings.grpcMethod(ofCall: "/a.S/Get") == "/a.S/Get")
        #expect(settings.grpcMethod(ofCall: "/a.S/get") == nil)
        #expect(RightsSettings().grpcMethod(ofCall: "/a.S/Get") == nil)
        #expect(settings.scopes(for: "/b.T/*") == ["admin"])
    }

    @Test(arguments: [
        ("/a.S/Get", true), ("/s/m", true), ("/_a/_b", true), ("/a-b.c/d1", true), ("", false), ("/", false),
        ("//", false),
        ("/a", false), ("/a/", false), ("//a", false), ("a/b", false), ("/a/b/", false), ("/a/b/c", false),
        ("/1a/b", false),
        ("/a/.b", false), ("/a/b%", false), ("/a/*", false), ("/\u{e9}/a", false),
    ])
    func `are of a path with two names in it`(path: String, isMethod: Bool) {
        #expect(GRPCMethodNames.isMethod(path.utf8Span.span) == isMethod)
    }
}
