import CCurl
public import EventLoop
public import HTTPMessage

/// Fetches over curl on one event loop, without blocking it: names, connections and bodies are all waited for.
///
/// Certificates and host names are always verified, redirects never followed, no cookie kept, no environment obeyed, no
/// coding undone, and no address connected to that only the operator may point at (MD-06, MD-08, CA-13).
public final class CurlFetcher: Fetching {
    private let loop: EventLoop
    private let multi: CurlMulti

    /// The versions of libcurl and of the libraries it runs on, OpenSSL among them, as `curl_version` tells.
    public static var libraryVersions: String { String(cString: curl_version()) }

    /// Connections that a fetcher has at a time, unless it is told to have fewer.
    public static let mostConnections = FetchLimits.connections

    /// A fetcher whose transfers run on `loop`; `fetch` may be called from any thread.
    ///
    /// With fewer `connections` fewer requests are under way at each server: still all purposes at three servers that hang.
    public init(loop: EventLoop, connections: Int = mostConnections) {
        self.loop = loop
        multi = CurlMulti(loop: loop, connections: max(1, min(connections, CurlFetcher.mostConnections)))
    }

    deinit {
        let multi = self.multi
        loop.execute { multi.close() }
    }

    /// The complete answer, or why there is none; a cancelled task gets `.cancelled` and leaves nothing behind.
    public func fetch(_ request: FetchRequest) async throws(FetchRefusal) -> FetchResponse {
        let transfer = CurlTransfer(request)
        let multi = self.multi
        let flight = Flight(transfer: transfer)
        let outcome: CurlTransfer.Outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.execute { flight.begin(on: multi) { continuation.resume(returning: $0) } }
            }
        } onCancel: {
            loop.execute { flight.cancel(on: multi) }
        }
        return try outcome.get()
    }
}

/// A transfer and whether its task is gone; the two may be learned in either order.
///
/// Lives on the loop's thread.
private final class Flight: @unchecked Sendable {
    private let transfer: CurlTransfer
    private var isCancelled = false

    init(transfer: CurlTransfer) { self.transfer = transfer }

    func begin(on multi: CurlMulti, completion: @escaping (CurlTransfer.Outcome) -> Void) {
        guard !isCancelled else { return completion(.failure(.cancelled)) }
        do throws(FetchRefusal) {
            try transfer.prepare(completion: completion)
        } catch {
            return completion(.failure(error))
        }
        multi.add(transfer)
    }

    func cancel(on multi: CurlMulti) {
        isCancelled = true
        multi.cancel(transfer)
    }
}
