import Glibc

/// What a parser made of one input.
enum Outcome: String {
    case accepted, refused
}

/// The parsers that are fuzzed; `../../run` builds and starts them.
enum Target: String, CaseIterable {
    case json, jws, jwe
    case dpopProof = "dpop-proof"
    case introspectionResponse = "introspection-response"
    case structuredField = "structured-field"
    case clientCert = "client-cert"
    case parResponse = "par-response"
    case cookie
    case idToken = "id-token"
    case logoutToken = "logout-token"
    case callback
    case tokenResponse = "token-response"
    case requestHead = "request-head"
    case responseHead = "response-head"
    case http2Frames = "http2-frames"
    case http2Head = "http2-head"
    case http2Upstream = "http2-upstream"
    case chunked, path, uri, base64url
    case jwkSet = "jwk-set"
    case discovery, yaml, forwarded, websocket
    case acceptLanguage = "accept-language"
    case pageText = "page-text"
    case curlCommand = "curl-command"
    case traceContext = "trace-context"
    case sealedSession = "sealed-session"
    case storeReply = "store-reply"
    case clusterMap = "cluster-map"
    case foreignConfiguration = "foreign-configuration"
    case proxyHeader = "proxy-header"
    case nameAnswer = "name-answer"

    /// The one that `FUZZ_TARGET` names: libFuzzer starts itself again for some jobs, and the environment comes along.
    static let chosen: Target = {
        let name = environment("FUZZ_TARGET") ?? ""
        guard let target = Target(rawValue: name)
        else { fatalError("FUZZ_TARGET is one of \(allCases.map(\.rawValue).joined(separator: ", ")), not '\(name)'") }
        return target
    }()

    /// Reads one input as the target does and holds the target to its promises; a broken one ends the process.
    func attempt(_ input: [UInt8]) -> Outcome {
        switch self {
        case .proxyHeader: ProxyHeaderFuzzer.attempt(input)
        case .nameAnswer: NameAnswerFuzzer.attempt(input)
        case .json: JSONFuzzer.attempt(input)
        case .jws: JWSFuzzer.attempt(input)
        case .jwe: JWEFuzzer.attempt(input)
        case .dpopProof: DPoPFuzzer.attempt(input)
        case .introspectionResponse: IntrospectionFuzzer.attempt(input)
        case .structuredField: StructuredFieldFuzzer.attempt(input)
        case .clientCert: ClientCertFuzzer.attempt(input)
        case .parResponse: PushedRequestFuzzer.attempt(input)
        case .cookie: CookieFuzzer.attempt(input)
        case .idToken: IDTokenFuzzer.attempt(input)
        case .logoutToken: LogoutTokenFuzzer.attempt(input)
        case .callback: CallbackFuzzer.attempt(input)
        case .tokenResponse: TokenResponseFuzzer.attempt(input)
        case .requestHead: RequestHeadFuzzer.attempt(input)
        case .responseHead: ResponseHeadFuzzer.attempt(input)
        case .http2Frames: HTTP2Fuzzer.attempt(input)
        case .http2Head: HTTP2HeadFuzzer.attempt(input)
        case .http2Upstream: HTTP2UpstreamFuzzer.attempt(input)
        case .chunked: ChunkedFuzzer.attempt(input)
        case .path: PathFuzzer.attempt(input)
        case .uri: URIFuzzer.attempt(input)
        case .base64url: Base64URLFuzzer.attempt(input)
        case .jwkSet: JWKSetFuzzer.attempt(input)
        case .discovery: DiscoveryFuzzer.attempt(input)
        case .yaml: ConfigurationFuzzer.attempt(input)
        case .forwarded: ForwardedFuzzer.attempt(input)
        case .websocket: WebSocketFuzzer.attempt(input)
        case .acceptLanguage: AcceptLanguageFuzzer.attempt(input)
        case .pageText: PageTextFuzzer.attempt(input)
        case .curlCommand: CurlCommandFuzzer.attempt(input)
        case .traceContext: TraceContextFuzzer.attempt(input)
        case .sealedSession: SealedSessionFuzzer.attempt(input)
        case .storeReply: StoreReplyFuzzer.attempt(input)
        case .clusterMap: ClusterMapFuzzer.attempt(input)
        case .foreignConfiguration: ForeignConfigurationFuzzer.attempt(input)
        }
    }
}

/// Whether to say what became of each input: so that seeds can be held to their names.
private let saysOutcome = environment("FUZZ_OUTCOMES") != nil

/// A variable of the environment.
func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}

/// The function that libFuzzer's `main` calls for every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // An array of its own has ends that the sanitizer watches.
    let outcome = Target.chosen.attempt([UInt8](UnsafeBufferPointer(start: bytes, count: count)))
    if saysOutcome {
        let line = Array("outcome: \(outcome.rawValue)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
    return 0
}

/// Ends the process, as a trap would, when something that must hold does not.
func hold(_ condition: Bool, _ promise: StaticString) {
    if !condition { fatalError("\(promise)") }
}
