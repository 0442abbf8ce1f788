import HTTPMessage
import Synchronization

/// Answers fetches from a table that the test changes as it goes, or holds them until it lets go.
final class ScriptedFetcher: Fetching {
    typealias Answer = Result<FetchResponse, FetchRefusal>

    private struct Service {
        var answers: [String: Answer] = [:]
        var firstAnswers: [String: [Answer]] = [:]
        var requests: [FetchRequest] = []
        var isHeld = false
        var held: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private let service = Mutex(Service())

    func fetch(_ request: FetchRequest) async throws(FetchRefusal) -> FetchResponse {
        let (number, isHeld) = service.withLock { service in
            service.requests.append(request)
            return (service.requests.count, service.isHeld)
        }
        if isHeld, await !isReleased(number) { throw .cancelled }
        let answer = service.withLock { service in
            if var first = service.firstAnswers[request.url], !first.isEmpty {
                defer { service.firstAnswers[request.url] = first }
                return first.removeFirst()
            }
            return service.answers[request.url] ?? .success(FetchResponse(status: 404))
        }
        return try answer.get()
    }

    /// Answers `url` with this from now on; unknown URLs are answered 404.
    func answer(_ url: String, with answer: Answer) { service.withLock { $0.answers[url] = answer } }

    /// Answers the next request for `url` with this, before whatever it is answered with else.
    func answerOnce(_ url: String, with answer: Answer) {
        service.withLock { $0.firstAnswers[url, default: []].append(answer) }
    }

    /// Keeps answers back until `release()`.
    func hold() { service.withLock { $0.isHeld = true } }

    /// Lets all answers go.
    func release() {
        let held = service.withLock { service in
            service.isHeld = false
            defer { service.held = [:] }
            return service.held
        }
        for continuation in held.sorted(by: { $0.key < $1.key }) { continuation.value.resume(returning: true) }
    }

    /// Every request so far.
    var requests: [FetchRequest] { service.withLock { $0.requests } }
    /// The URLs asked for since the last call.
    func takeURLs() -> [String] {
        service.withLock { service in
            defer { service.requests = [] }
            return service.requests.map(\.url)
        }
    }

    private func isReleased(_ number: Int) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Another thread may have let go since this one looked.
                let isHeld = service.withLock { service in
                    if service.isHeld { service.held[number] = continuation }
                    return service.isHeld
                }
                if !isHeld { continuation.resume(returning: true) }
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func cancel(_ number: Int) {
        service.withLock { $0.held.removeValue(forKey: number) }?.resume(returning: false)
    }
}
