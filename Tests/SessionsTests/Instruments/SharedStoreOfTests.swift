import Sessions

@testable import SharedStateTests

/// The shared store at a real server, whose time is the test's.
enum SharedStoreOfTests {
    static func make(_ settings: SessionSettings, client: String) throws -> any SessionStore {
        try AgeingStore(try RedisServer.shared.get(), settings, client: client)
    }
}
