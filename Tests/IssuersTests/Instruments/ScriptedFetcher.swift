import HTTPMessage
import Synchronization

/// Answers fetches from a table that the test changes as it goes, or holds them until it lets go.
final class ScriptedFetcher: Fetching {
    typealias Answer = Result<FetchResponse, FetchRefusal>

    private struct Desk {
        var answers: [String: Answer] = [:]
        var firstAnswers: [String: [Answer]] = [:]
        var requests: [FetchRequest] = []
        var isHeld = false
        var held: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private let desk = Mutex(Desk())

    func fetch(_ request: FetchRequest) async throws(FetchRefusal) -> FetchResponse {
        let (number, isHeld) = desk.withLock { desk in
            desk.requests.append(request)
            return (desk.requests.count, desk.isHeld)
        }
        if isHeld, await !isReleased(number) { throw .cancelled }
        let answer = desk.withLock { desk in
            if var first = desk.firstAnswers[request.url], !first.isEmpty {
                defer { desk.firstAnswers[request.url] = first }
                return first.removeFirst()
            }
            return desk.answers[request.url] ?? .success(FetchResponse(status: 404))
        }
        return try answer.get()
    }

    /// Answers `url` with this from now on; unknown URLs are answered 404.
    func answer(_ url: String, with answer: Answer) { desk.withLock { $0.answers[url] = answer } }

    /// Answers the next request for `url` with this, before whatever it is answered with else.
    func answerOnce(_ url: String, with answer: Answer) {
        desk.withLock { $0.firstAnswers[url, default: []].append(answer) }
    }

    /// Keeps answers back until `release()`.
    func hold() { desk.withLock { $0.isHeld = true } }

    /// Lets all answers go.
    func release() {
        let held = desk.withLock { desk in
            desk.isHeld = false
            defer { desk.held = [:] }
            return desk.held
        }
        for continuation in held.sorted(by: { $0.key < $1.key }) { continuation.value.resume(returning: true) }
    }

    /// Every request so far.
    var requests: [FetchRequest] { desk.withLock { $0.requests } }
    /// The URLs asked for since the last call.
    func takeURLs() -> [String] {
        desk.withLock { desk in
            defer { desk.requests = [] }
            return desk.requests.map(\.url)
        }
    }

    private func isReleased(_ number: Int) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Another thread may have let go since this one looked.
                let isHeld = desk.withLock { desk in
                    if desk.isHeld { desk.held[number] = continuation }
                    return desk.isHeld
                }
                if !isHeld { continuation.resume(returning: true) }
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func cancel(_ number: Int) {
        desk.withLock { $0.held.removeValue(forKey: number) }?.resume(returning: false)
    }
}
