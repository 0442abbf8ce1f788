import Foundation
import SharedState
import TestSupport

@testable import StoreClient

/// Moves a slot with all of its keys from one server to another, on a thread of its own, as an operator's tool does.
final class SlotMove: Sendable {
    let isOver = Watched(false)
    let failure = Watched<String?>(nil)

    init(_ slot: Int, from source: RedisNode, to target: RedisNode) {
        let (sourcePath, targetPath, port) = (source.folder + "/s", target.folder + "/s", target.port)
        Thread.detachNewThread { [isOver, failure] in
            do {
                let (source, target) = (try RedisAdmin(unixPath: sourcePath), try RedisAdmin(unixPath: targetPath))
                let (from, to) = (try source.ask("CLUSTER", "MYID").text, try target.ask("CLUSTER", "MYID").text)
                func expect(_ admin: RedisAdmin, _ words: String...) throws {
                    let text = try admin.ask(words).text
                    if text != "OK", text != "NOKEY" { failure.withLock { $0 = "\(words): \(text)" } }
                }
                try expect(target, "CLUSTER", "SETSLOT", "\(slot)", "IMPORTING", from)
                try expect(source, "CLUSTER", "SETSLOT", "\(slot)", "MIGRATING", to)
                for _ in 0..<20 {
                    dawdle(for: .milliseconds(5))
                    while case .array(let keys) = try source.ask("CLUSTER", "GETKEYSINSLOT", "\(slot)", "10"),
                        !keys.isEmpty
                    {
                        for key in keys { try expect(source, "MIGRATE", "127.0.0.1", "\(port)", key.text, "0", "2000") }
                    }
                }
                try expect(target, "CLUSTER", "SETSLOT", "\(slot)", "NODE", to)
                try expect(source, "CLUSTER", "SETSLOT", "\(slot)", "NODE", to)
                dawdle(for: .milliseconds(300))
            } catch {
                failure.withLock { $0 = "\(error)" }
            }
            isOver.withLock { $0 = true }
        }
    }
}
