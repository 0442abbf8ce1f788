import Fetch
import HTTPMessage

/// Runs a body with a fetcher on a loop and a server that follows `script`, and cleans both up.
func withFetcher(
    _ script: ScriptedServer.Action..., body: (CurlFetcher, ScriptedServer) async throws -> Void
) async throws {
    let thread = try LoopThread()
    defer { thread.stop() }
    let server: ScriptedServer
    switch script.count {
    case 0: server = try ScriptedServer(.stall)
    case 1: server = try ScriptedServer(script[0])
    default: server = try ScriptedServer(script[0], script[1])
    }
    defer { server.stop() }
    try await body(CurlFetcher(loop: thread.loop), server)
}

/// A request to `server` that the operator is said to have written, without TLS.
func request(_ server: ScriptedServer, path: String = "/", host: String = "127.0.0.1") -> FetchRequest {
    var request = FetchRequest(
        url: "http://\(host):\(server.port)\(path)", maximumBytes: 256 * 1024, timeoutMilliseconds: 30_000)
    request.insecureAllowHTTP = true
    request.allowLoopbackAndPrivateHost = host
    return request
}

/// The refusal of `request`; a success is an error of the test.
func refusal(of request: FetchRequest, by fetcher: CurlFetcher) async throws -> FetchRefusal {
    do throws(FetchRefusal) {
        let response = try await fetcher.fetch(request)
        throw FetchRefusal.failed("answered \(response.status) with \(response.body.count) bytes")
    } catch {
        return error
    }
}
