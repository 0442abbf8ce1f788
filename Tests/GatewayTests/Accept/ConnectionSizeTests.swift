// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Gateway

@Suite struct `the room that an idle connection takes` {
    /// Half a kilobyte for each of thousands of idle clients, of which libevent's own tables take some 40 bytes.
    @Test func `is less than half a kilobyte`() { #expect(MemoryLayout<ClientConnection>.stride < 512) }
}
