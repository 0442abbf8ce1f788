import Bytes
package import HTTPMessage
import OAuth

/// One route, ready to be asked: plain values and memory of its own, reached by pointer, never copied or counted.
package struct Route: ~Copyable, Sendable {
    package let index: Int
    /// Where its numbers are: the same over reloads, for requests that began before one end after it.
    package let metricsSlot: Int
    /// The first of its sites: what it has by site is counted from there.
    package let firstSite: Int
    /// The next route for the same path, by precedence; -1 behind the last.
    package internal(set) var next: Int = -1
    /// The field that a request must have to be its own, beside the path and the method.
    let field: FieldChoice?
    /// The methods that all routes for its path let through, for `Allow`.
    package internal(set) var allow: String
    package let settings: RouteSettings
    /// The name in JSON log lines.
    package let name: Bytes
    /// Which of the worker's upstream pools.
    package let upstream: Int
    package let allowances: PathAllowances
    /// The methods let through.
    package let methodNames: MethodSet
    package let token: TokenPolicy
    package let isPublic: Bool
    package let isOptional: Bool
    package let webSocket: Bool
    /// Which identity mapping; -1 for none.
    package let identity: Int
    /// The same of what its clients get; -1 for none.
    package let responseIdentity: Int
    /// What `Origin` must be where there is one (MCP-06).
    package let origins: OriginList
    /// What scripts of pages elsewhere may do (HTTP-71).
    package let cors: CORSPolicy
    /// How slow and how large its messages may be.
    package let patience: RoutePatience
    /// How many requests it takes, and of whom.
    package let requestLimits: RouteRequestLimits
    /// Where the metadata of the resource is, by site; empty texts where none is published (RFC 9728 §5.1).
    package let resourceMetadata: [String]
    /// What the upstream gets in place of the client's credentials.
    package let credential: UpstreamCredential
    /// Which tokens of the caller's that or a field shows the upstream: a session without them is none.
    package let shownTokens: ShownTokens
    /// The bases of its URLs at each of its sites: the public URL, and the route's own (DPOP-09).
    let bases: FixedList<[TargetBase]>
    /// What it asks of browsers' sessions; nil where it takes none.
    package let login: FixedValue<LoginPolicy>?
    /// The base of `htu` in proofs for the upstream (DPOP-45).
    package let proofBase: String
    /// Its credentials are sessions, and no tokens.
    package let takesSessionsAlone: Bool
    /// Its upstream is told the client's certificate (RFC 9440).
    package let sendsClientCert: Bool
    /// What its upstream calls its paths by; nil where they go on as they are.
    package let rewrite: FixedValue<PathRewrite>?
    /// What it changes of fields; nil where that is nothing.
    package let fields: FixedValue<FieldChanges>?
    /// What it answers itself; nil where it has an upstream.
    package let answer: FixedValue<RouteAnswer>?
    /// It is called by gRPC.
    package let isGRPC: Bool
    /// Whether clients see its host by https; nil where it has no URL of its own, and the listener decides.
    package let isHostSecure: Bool?
    /// Fields behind a request's content go on.
    package let passesRequestTrailers: Bool
    /// Calls end with the token or session that they began with.
    package let endsCalls: Bool
    /// A 401 of its upstream is no business of the client's (HTTP-68).
    package let hidesUnauthorized: Bool
    /// The issuer that is asked about tokens which nobody here can judge.
    package let introspector: Introspector

    /// It is one of several for its path, or a request needs a field to be its own.
    var isChosen: Bool { next >= 0 || field != nil }

    package typealias Bytes = FixedBytes

    /// Frees what was written out; nobody may use it any longer.
    func destroy() {
        name.destroy()
        token.destroy()
        if case .fixed(let line) = credential { line.destroy() }
        bases.destroy()
        field?.destroy()
        requestLimits.destroy()
        if let fields {
            fields.pointee.destroy()
            fields.destroy()
        }
        if let answer {
            answer.pointee.destroy()
            answer.destroy()
        }
        if let rewrite {
            rewrite.pointee.destroy()
            rewrite.destroy()
        }
        if let login {
            login.pointee.destroy()
            login.destroy()
        }
    }
}

extension SchemeSet {
    init(_ schemes: [TokenSettings.Scheme]) {
        self = []
        if schemes.contains(.bearer) { insert(.bearer) }
        if schemes.contains(.dpop) { insert(.dpop) }
    }
}

extension DPoPRules {
    /// What the operator says for all routes, and for this one.
    init(_ route: DPoPSettings, _ proofs: ProofSettings) {
        self.init(
            algorithms: route.algorithms, pastSeconds: proofs.past.wholeSeconds,
            futureSeconds: proofs.future.wholeSeconds,
            maximumBytes: proofs.maximumBytes, maximumIDBytes: proofs.maximumIDBytes)
    }
}

extension MethodSet {
    /// A route that names rights by method, and no default, lets through the methods it names (fail closed).
    package static func of(_ route: RouteSettings) -> MethodSet {
        guard route.methods == nil, let token = route.access.token else { return MethodSet(route.methods) }
        var named: [[String]] = []
        if !token.rights.scopesByGRPCMethod.isEmpty {
            named.append(["POST"])
        } else if token.rights.scopes.isEmpty, !token.rights.scopesByMethod.isEmpty {
            named.append(token.rights.scopesByMethod.keys.sorted())
        }
        if token.authorizationDetails.isEmpty, !token.authorizationDetailsByMethod.isEmpty {
            named.append(token.authorizationDetailsByMethod.keys.sorted())
        }
        guard var names = named.first else { return MethodSet(nil) }
        for index in named.indices where named[index].contains("GET") && !named[index].contains("HEAD") {
            named[index].append("HEAD")
        }
        names = named[0].filter { name in named.allSatisfy { $0.contains(name) } }
        return MethodSet(names)
    }
}
