import Telemetry
import Explain
import ArgumentParser
import Configuration
import Gateway
import Glibc
import Issuers

/// `portcullis explain CONFIG …`: why a request is let through or refused, check by check.
struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say why a request is let through or refused, and what to change.",
        discussion: """
            Runs the checks of a running gateway on one request, without sending anything to an upstream. The request is \
            described by --url and its companions, or saved in a file, as its head or as a browser's "Copy as cURL", or one \
            that a running gateway remembers by its X-Request-Id (explain_buffer). Tokens and proofs come from files or standard input, never as arguments, and \
            are shown decoded, without their signatures. Keys of issuers are read now, unless --keys gives them.

            With --login it explains no request: it holds one client's logins against what its authorization server says \
            about itself now, and prints what to register there. Session cookies, too, come from files alone.

            With --check it explains no request and needs no configuration: it says what the check of a log line \
            stands for.

            Exits 0 when the request would be forwarded, 3 when it is refused, 1 when that could not be found out, 2 \
            when the configuration or the request is not valid.
            """)

    @Argument(help: "The configuration file.", completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    @Option(help: "The method.")
    var method = "GET"

    @Option(help: "The URL that the client calls, such as https://shop.example.com/api/orders/7.")
    var url: String?

    @Option(name: [.customLong("header"), .customShort("H")], help: "A header field, 'Name: value'; may be repeated.")
    var headers: [String] = []

    @Option(help: "A file with the access token; - is standard input.", completion: .file())
    var tokenFile: String?

    @Option(help: "The scheme of the token: Bearer, or DPoP (the default with --proof-file).")
    var scheme: String?

    @Option(help: "A file with the DPoP proof.", completion: .file())
    var proofFile: String?

    @Option(help: "A file with the Cookie field's value, or with the session cookie's alone.", completion: .file())
    var cookieFile: String?

    @Option(help: "The name of a login client: holds it against its server, in place of a request.")
    var login: String?

    @Option(help: "The id of a requirement, such as RS-13, the check of a log line: says what it promises.")
    var check: String?

    @Option(help: "A file with the request's head, raw, from curl -v or from a browser's tools.", completion: .file())
    var request: String?

    @Option(
        help: "A file with a browser's \"Copy as cURL (bash)\"; - is standard input. It is read, never run.",
        completion: .file())
    var curlFile: String?

    @Option(
        help:
            "The X-Request-Id of an answer, or the request_id, decision_id, proxy_request_id or trace_id of a log line: asks the running gateway, which remembers requests with explain_buffer: 1000."
    )
    var requestID: String?

    @Option(help: "A PEM file with the client's certificate.", completion: .file())
    var certificate: String?

    @Option(help: "The IP address that the request comes from.")
    var from = "127.0.0.1"

    @Option(help: "The time to judge by: 2026-11-22T10:30:00Z, or seconds since 1970. Now by default.")
    var at: String?

    @Option(help: "A file with an issuer's JWK Set, NAME=FILE, in place of its live one; may be repeated.")
    var keys: [String] = []

    @Option(help: "Seconds to wait for an issuer's keys.")
    var timeout = 5

    @Flag(
        name: .customLong("http2"),
        help:
            "The request comes by HTTP/2: what its client would put in frames is judged, and a WebSocket's handshake is an extended CONNECT."
    )
    var isHTTP2 = false

    @Flag(help: "Print what is wrong and what to change, and none of the checks that passed.")
    var brief = false

    @Flag(help: "Print the explanation as JSON.")
    var json = false

    func validate() throws {
        // In the parser's own words: without --check it is an argument like any other.
        guard config != nil || check != nil else { throw ValidationError("Missing expected argument '<config>'") }
    }

    func run() throws {
        if let check { return try tell(of: check) }
        guard let config else { throw ExitCode.validationFailure }
        let settings = try ConfigurationFile.load(config).settings
        let text: String
        do throws(RequestDraft.Problem) {
            if let login {
                text = try reviewed(login, settings)
            } else if let requestID {
                text = try remembered(requestID, settings)
            } else {
                let explanation = try explain(settings)
                text = json ? String(decoding: explanation.json, as: UTF8.self) : explanation.text
            }
        } catch {
            Terminal.complain("portcullis explain: \(error.text)")
            throw ExitCode(requestID == nil ? 2 : 1)
        }
        Terminal.print(brief && !json && login == nil ? Explanation.brief(text) : text)
        let status = AskGateway.exitStatus(of: text)
        guard status == 0 else { throw ExitCode(status) }
    }

    private func tell(of id: String) throws {
        do throws(RequestDraft.Problem) {
            guard url == nil, request == nil, curlFile == nil, requestID == nil, login == nil, !json, !isHTTP2 else {
                throw RequestDraft.Problem(text: "--check asks about an id: leave --json, --login and the request out")
            }
            Terminal.print(try RequirementText.text(of: id))
        } catch {
            Terminal.complain("portcullis explain: \(error.text)")
            throw ExitCode(2)
        }
    }

    private func remembered(_ id: String, _ settings: GatewaySettings) throws(RequestDraft.Problem) -> String {
        guard url == nil, request == nil, curlFile == nil, !isHTTP2 else {
            throw RequestDraft.Problem(
                text: "--request-id names a request: leave --url, --request, --curl-file and --http2 out")
        }
        return try AskGateway.explanation(of: id, settings, asJSON: json, timeoutMilliseconds: milliseconds)
    }

    private func reviewed(_ name: String, _ settings: GatewaySettings) throws(RequestDraft.Problem) -> String {
        guard url == nil, request == nil, requestID == nil, !isHTTP2 else {
            throw RequestDraft.Problem(
                text: "--login looks at a client: leave --url, --request, --request-id and --http2 out")
        }
        return try AskAboutLogin.review(of: name, settings, asJSON: json, timeoutMilliseconds: milliseconds)
    }

    private var milliseconds: Int { max(1, min(timeout, 300)) * 1000 }

    private func explain(_ settings: GatewaySettings) throws(RequestDraft.Problem) -> Explanation {
        var circumstances = DryRun.Circumstances()
        let (head, arrival) = try head(settings)
        circumstances.arrival = arrival
        circumstances.peer = from
        guard !isHTTP2 || settings.listeners[arrival.listener].speaksHTTP2 else {
            throw RequestDraft.Problem(
                text: "listeners[\(arrival.listener)] has http2: false, so no request comes there by HTTP/2")
        }
        circumstances.isHTTP2 = isHTTP2
        if let certificate {
            guard let thumbprint = CertificateFile.thumbprint(try InputFile.read(certificate)) else {
                throw RequestDraft.Problem(text: "\(certificate) holds no certificate in PEM")
            }
            circumstances.certificate = thumbprint
        }
        var now: Int64?
        if let at {
            guard let time = UnixTime.parse(at) else {
                throw RequestDraft.Problem(
                    text: "--at wants a time such as 2026-11-22T10:30:00Z, or seconds since 1970")
            }
            now = time
        }
        let given = try givenKeys(settings)
        let explainer: Explainer
        do throws(GatewayFailure) {
            explainer = try Explainer(
                settings, now: now, keys: { index in keysOfIssuer(settings.issuers[index], given[index]) },
                answer: { index, token, digest in
                    AskAboutToken.live(index, token, digest, settings: settings, timeoutMilliseconds: milliseconds)
                })
        } catch {
            throw RequestDraft.Problem(text: error.description)
        }
        return try explainer.explain(head, circumstances)
    }

    /// The request's bytes, and where they come in.
    private func head(_ settings: GatewaySettings) throws(RequestDraft.Problem) -> ([UInt8], DryRun.Arrival) {
        if let curlFile {
            guard url == nil, request == nil, headers.isEmpty, tokenFile == nil, proofFile == nil, cookieFile == nil
            else {
                throw RequestDraft.Problem(
                    text: "--curl-file has the whole request: leave --url, --request, --header and files out")
            }
            let (head, url) = try CurlCommand.head(try InputFile.read(curlFile))
            return (head, try DryRun.Arrival.of(url, host: RequestDraft.host(in: head), in: settings))
        }
        if let request {
            guard url == nil, headers.isEmpty, tokenFile == nil, proofFile == nil, cookieFile == nil else {
                throw RequestDraft.Problem(text: "--request has the whole request: leave --url, --header and files out")
            }
            let head = SavedRequest.head(try InputFile.read(request))
            return (head, DryRun.Arrival.of(head: head, in: settings))
        }
        guard let url else { throw RequestDraft.Problem(text: "give --url, --request, --curl-file or --request-id") }
        var draft = RequestDraft(url: url)
        draft.method = method
        draft.fields = headers
        if let tokenFile {
            var words = InputFile.trimmed(try InputFile.read(tokenFile)).split(separator: 0x20).map(Array.init)
            // A whole line of a request is as clear.
            if let first = words.first, String(decoding: first, as: UTF8.self).lowercased() == "authorization:" {
                words.removeFirst()
            }
            guard words.count <= 2 else {
                throw RequestDraft.Problem(
                    text: "\(tokenFile) holds \(words.count) words: give the token alone, or its scheme and the token")
            }
            // A file with the field's whole value says the scheme itself.
            let named = words.count == 2 ? String(decoding: words[0], as: UTF8.self) : nil
            draft.credentials = (
                scheme ?? named ?? (proofFile == nil ? "Bearer" : "DPoP"),
                named == nil ? Array(words.joined(separator: [0x20])) : words[1]
            )
        }
        if let proofFile { draft.proof = InputFile.trimmed(try InputFile.read(proofFile)) }
        if let cookieFile {
            draft.cookies = try RequestDraft.cookies(InputFile.trimmed(try InputFile.read(cookieFile)), in: settings)
        }
        let head = try draft.head()
        return (head, try DryRun.Arrival.of(url, host: RequestDraft.host(in: head), in: settings))
    }

    private func givenKeys(_ settings: GatewaySettings) throws(RequestDraft.Problem) -> [Int: [UInt8]] {
        var given: [Int: [UInt8]] = [:]
        for pair in keys {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, let index = settings.issuers.firstIndex(where: { $0.name == parts[0] }) else {
                throw RequestDraft.Problem(
                    text: "--keys wants NAME=FILE with the name of an issuer: "
                        + settings.issuers.map(\.name).joined(separator: ", "))
            }
            given[index] = try InputFile.read(parts[1])
        }
        return given
    }

    private func keysOfIssuer(_ issuer: IssuerSettings, _ given: [UInt8]?) -> Result<IssuerKeys, KeysMissing> {
        do throws(KeysMissing) {
            if let given { return .success(try ReadKeys.given(given, for: issuer)) }
            return .success(try ReadKeys.live(of: issuer, timeoutMilliseconds: milliseconds))
        } catch {
            return .failure(error)
        }
    }
}

/// Small files with what belongs to a request.
enum InputFile {
    private static let limit = 1 << 20

    /// The whole file, or standard input for `-`.
    static func read(_ path: String) throws(RequestDraft.Problem) -> [UInt8] {
        let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw RequestDraft.Problem(text: "\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { if descriptor > 0 { close(descriptor) } }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw RequestDraft.Problem(text: "\(path) cannot be read: \(String(cString: strerror(errno)))")
            }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= limit else { throw RequestDraft.Problem(text: "\(path) is larger than 1 MiB") }
        }
    }

    /// Without the line end that editors and `echo` leave, and the spaces around.
    static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return [] }
        return Array(bytes[first...last])
    }
}
