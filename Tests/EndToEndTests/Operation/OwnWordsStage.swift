import Testing
import TestSupport

/// One kind of request: how it is written with a mark of its own, and the words of its line.
struct RequestKind: Sendable {
    let name: String
    /// Nil for what is let through.
    let cause: String?
    /// What the line says was found, of a request with this mark; nil where that is not looked at word by word.
    var found: @Sendable (_ mark: String) -> String? = { _ in nil }
    /// The whole request.
    let text: @Sendable (_ mark: String) -> String
}

/// A gateway that refuses in many ways, and requests of all those kinds.
final class OwnWordsStage: Sendable {
    let stage: Stage
    let kinds: [RequestKind]

    init() throws {
        var plan = StagePlan()
        plan.publicURL = "https://gateway.test"
        plan.routes = Self.routes
        plan.files = ["web.secret": "a secret of the client's"]
        plan.settings = """
            via: own-words
            dpop: { past: 5m }
            clients:
              web:
                issuer: main
                id: web
                authentication: { method: client_secret_basic, secret: { file: $FOLDER/web.secret } }
                id_token: { algorithm: ES256 }
            """
        let stage = try Stage(plan)
        self.stage = stage
        kinds =
            Self.messages(stage) + Self.credentials(stage) + Self.tokens(stage) + Self.rights(stage)
            + Self.proofs(stage) + Self.sessions(stage) + Self.letThrough(stage)
    }

    /// Sends so many requests of all kinds in turns that no two clients agree on; answers them by their ids.
    func interleave(_ count: Int, on connections: Int) throws -> [String: (kind: Int, mark: String)] {
        var sent: [String: (kind: Int, mark: String)] = [:]
        var generator = Steps(state: 11)
        var clients = try (0..<connections).map { _ in try stage.gateway.client() }
        var number = 0
        while number < count {
            var round: [(kind: Int, mark: String)] = []
            for place in 0..<min(connections, count - number) {
                // Each kind once at the beginning, then as it comes.
                let next = number + place
                let kind = next < kinds.count ? next : Int(generator.next() % UInt64(kinds.count))
                let mark = "mark\(next % Self.marks)z"
                round.append((kind, mark))
                try clients[place].send(kinds[kind].text(mark))
            }
            for (place, request) in round.enumerated() {
                let response = try clients[place].response()
                // An upstream's response has no id; that of a refusal is in the log as well.
                if kinds[request.kind].cause != nil {
                    let id = try #require(response.fields.only("x-request-id"), "\(response.headText)")
                    sent[id] = request
                }
                if response.announcesClose { clients[place] = try stage.gateway.client() }
            }
            number += round.count
        }
        return sent
    }

    /// Marks are few, so that tokens with them are signed once; many more than are under way at once.
    static let marks = 97

    /// Waits until everything sent before has been logged.
    func awaitLog() throws {
        _ = try stage.exchange("GET", "/open/after-all")
        _ = try #require(stage.gateway.accessLine { $0.raw.contains("/open/after-all") })
    }

    /// Words of a line without the request's own mark and without numbers, which sizes and times are.
    static func withoutMark(_ words: [String?], _ mark: String) -> String {
        let said = words.map { $0 ?? "-" }.joined(separator: " | ").lowercased()
        return String(said.replacingOccurrences(mark, with: "OWN").map { $0.isNumber ? "#" : $0 })
            .replacingOccurrences("##", with: "#").replacingOccurrences("##", with: "#")
    }

    private struct Steps {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }
}
