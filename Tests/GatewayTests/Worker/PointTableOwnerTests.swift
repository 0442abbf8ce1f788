import Access
import Crypto
import Glibc
import OAuth
import Telemetry
import TestSupport
import Testing
import Transport

@testable import Gateway

@Suite struct `tables of multiples` {
    private func parts(
        _ count: Int, continuing previous: SharedResources? = nil
    ) throws -> SharedResources {
        var settings = GatewaySettings(
            workers: 1, listeners: [],
            admin: AdminSettings(address: SocketAddressSettings(host: "127.0.0.1", port: 0)), issuers: [], routes: [])
        settings.precomputedKeys = count
        return try SharedResources(settings, operatorLog: .off, continuing: previous)
    }

    @Test func `are the gateway's, and no worker has any where the configuration wants none`() throws {
        let none = try parts(0), some = try parts(7)
        defer { for parts in [none, some] { parts.resolver.stop() } }
        #expect(none.pointTables == nil)
        #expect(some.pointTables?.limit == 7)
    }

    @Test func `outlive a configuration, but for one that wants more or fewer`() throws {
        let first = try parts(7)
        defer { first.resolver.stop() }
        let second = try parts(7, continuing: first)
        #expect(second.pointTables != nil && second.pointTables === first.pointTables)
        let third = try parts(8, continuing: second)
        #expect(third.pointTables?.limit == 8 && third.pointTables !== second.pointTables)
        #expect(try parts(0, continuing: third).pointTables == nil)
    }

    @Test func `are where a worker's keys look for them`() throws {
        let idle = try IdleWorker()
        let tables = idle.worker.pointee.identities.proofKeys.tables
        #expect(tables != nil && tables === idle.gateway.generation.resources.pointTables)
    }

    @Test func `are made on a thread that gives way to the workers`() async throws {
        let process = Int32(PRIO_PROCESS.rawValue)
        let niceness = await withCheckedContinuation { continuation in
            let isStarted = SignalFreeThread.start(niceness: 10) {
                continuation.resume(returning: getpriority(process, 0))
            }
            if !isStarted { continuation.resume(returning: -1) }
        }
        #expect(niceness == min(19, getpriority(process, 0) + 10))
    }
}
