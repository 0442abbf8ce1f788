import Bytes
import Crypto
import HTTPMessage
import JOSE
import JSON
import OAuth
import Synchronization
import TestSupport

@testable import Issuers

/// An authorization server without sockets, which is good until the test changes its habits.
///
/// It reads what it is sent as a server would, so that a login only succeeds when both sides agree; it remembers every
/// request, and everything it handed out that must not be seen anywhere.
final class ScriptedServer: Fetching {
    static let issuer = "https://id.example.com"

    /// Why the server does not go along: the test that meets one has found a defect, or wants it.
    struct Complaint: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// What was granted to a code or a refresh token.
    struct Grant: Sendable {
        var parameters: [(String, String)]
        /// The key that the tokens are bound to.
        var thumbprint: String?
    }

    struct State {
        var habits = ServerHabits()
        var requests: [FetchRequest] = []
        var pushed: [String: [(String, String)]] = [:]
        var codes: [String: Grant] = [:]
        var refreshTokens: [String: Grant] = [:]
        var accessTokens: [String: Grant] = [:]
        var revoked: [String] = []
        var handedOut: [String] = []
        var redeemedTwice: [String] = []
        var number = 0
        var nonce = "nonce-0"
        var held: [CheckedContinuation<Void, Never>] = []
        var waiting: [(path: String, count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// Something nobody has seen, and nobody else may.
        mutating func secret(_ kind: String) -> String {
            number += 1
            handedOut.append("\(kind)-\(number)-of-this-server")
            return handedOut[handedOut.count - 1]
        }
    }

    let clock: ManualClock
    /// The published key.
    let key: SigningKey
    let clientID: String
    let state = Mutex(State())

    init(clock: ManualClock, key: SigningKey = .p256, clientID: String = "shop-web") {
        self.clock = clock
        self.key = key
        self.clientID = clientID
    }

    // MARK: what the test changes and sees

    var habits: ServerHabits {
        get { state.withLock { $0.habits } }
        set { state.withLock { $0.habits = newValue } }
    }

    /// Every request, in order.
    var requests: [FetchRequest] { state.withLock(\.requests) }

    /// The requests to the endpoint at that path, in order.
    func requests(at path: String) -> [FetchRequest] {
        state.withLock { $0.requests.filter { Self.path(of: $0) == path } }
    }

    /// The forms that were posted to the endpoint at that path.
    func forms(at path: String) -> [[(String, String)]] { requests(at: path).map { FormText.decode($0.body ?? []) } }

    var tokenRequests: [[(String, String)]] { forms(at: "/token") }
    var pushes: [[(String, String)]] { forms(at: "/par") }
    var revokedTokens: [String] { state.withLock { $0.revoked } }
    /// Codes that came a second time.
    var redeemedTwice: [String] { state.withLock { $0.redeemedTwice } }
    /// Codes and tokens that the server made.
    var handedOut: [String] { state.withLock { $0.handedOut } }

    /// Takes the codes for bound to another key than they were asked for with.
    func bindCodes(to thumbprint: String) {
        state.withLock { state in
            for code in state.codes.keys { state.codes[code]?.thumbprint = thumbprint }
        }
    }

    /// Lets the held answers go, and holds none from now on.
    func release() {
        let held = state.withLock { state in
            state.habits.held = nil
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    /// Waits until the endpoint at that path was asked so often.
    func arrival(of count: Int, at path: String) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                guard state.requests.count(where: { Self.path(of: $0) == path }) < count else { return true }
                state.waiting.append((path, count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    // MARK: what it publishes

    /// What it says about itself.
    var metadata: ServerMetadata {
        get throws {
            let issuer = Self.issuer
            let text = Self.object(
                [
                    ("issuer", "\"\(issuer)\""), ("jwks_uri", "\"\(issuer)/jwks\""),
                    ("authorization_endpoint", "\"\(issuer)/authorize\""), ("token_endpoint", "\"\(issuer)/token\""),
                    ("pushed_authorization_request_endpoint", "\"\(issuer)/par\""),
                    ("userinfo_endpoint", "\"\(issuer)/userinfo\""), ("revocation_endpoint", "\"\(issuer)/revoke\""),
                    ("end_session_endpoint", "\"\(issuer)/logout\""), ("response_types_supported", "[\"code\"]"),
                    ("code_challenge_methods_supported", "[\"S256\"]"),
                    ("authorization_response_iss_parameter_supported", "true"),
                    ("request_parameter_supported", "true"), ("request_uri_parameter_supported", "true"),
                    ("request_object_signing_alg_values_supported", "[\"ES256\",\"PS256\"]"),
                    ("dpop_signing_alg_values_supported", "[\"ES256\"]"),
                ], habits.metadata)
            return try ServerMetadata.accept(
                FetchResponse(status: 200, contentType: "application/json", body: Array(text.utf8)),
                issuer: IssuerIdentifier(issuer), keySetLocation: .optional)
        }
    }

    /// The keys it publishes.
    func keys(_ keys: [SigningKey]? = nil) throws -> IssuerKeys {
        let bytes = Array(SigningKey.keySet(keys ?? [key]).utf8)
        // Equal keys have equal versions, and others have others.
        let version = bytes.reduce(into: UInt64(1)) { $0 = $0 &* 31 &+ UInt64($1) }
        return IssuerKeys(
            generation: 1, version: version, keySet: try KeySet.parse(bytes.span), fetchedAt: clock.seconds,
            usableUntil: .max)
    }

    // MARK: Fetching

    func fetch(_ request: FetchRequest) async throws(FetchRefusal) -> FetchResponse {
        let path = Self.path(of: request)
        let arrived = state.withLock { state in
            state.requests.append(request)
            let count = state.requests.count { Self.path(of: $0) == path }
            let due = state.waiting.filter { $0.path == path && $0.count <= count }
            state.waiting.removeAll { $0.path == path && $0.count <= count }
            return due.map(\.continuation)
        }
        for continuation in arrived { continuation.resume() }
        await holdBack(path)
        if let demand = nonceDemand(request) { return demand }
        switch path {
        case "/par": return try push(request)
        case "/token": return try token(request)
        case "/userinfo": return try userInfo(request)
        case "/revoke": return try revoke(request)
        default: return FetchResponse(status: 404)
        }
    }

    private func holdBack(_ path: String) async {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                guard state.habits.held == path else { return false }
                state.held.append(continuation)
                return true
            }
            if !isHeld { continuation.resume() }
        }
    }

    static func path(of request: FetchRequest) -> String {
        String(request.url.dropFirst(issuer.count).prefix { $0 != "?" })
    }

    static func object(_ members: [(String, String)], _ changes: [String: String?]) -> String {
        var members = members
        for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
            members.removeAll { $0.0 == name }
            if let value { members.append((name, value)) }
        }
        return "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }

    static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return writer.text
    }
}
