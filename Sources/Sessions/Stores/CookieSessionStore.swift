// SPDX-License-Identifier: Apache-2.0
package import Crypto

/// Keeps sessions in the browser, sealed (SC-04); here is only what a browser cannot be asked to forget.
package final class CookieSessionStore: SessionStore {
    package init(settings: SessionSettings, client: String) throws(CryptoRefusal) {
    }

    package func lookUp(_ value: [UInt8], now: Int64) -> SessionLookup { .none }

    package func load(_ value: [UInt8], now: Int64) async throws(SessionStoreRefusal) -> Session? { nil }

    package func create(_ session: Session, now: Int64) async throws(SessionStoreRefusal) -> [UInt8] { [] }

    package func replace(
        _ value: [UInt8], by session: Session, now: Int64
    ) async throws(SessionStoreRefusal) -> [UInt8]? { nil }

    package func touch(_ value: [UInt8], _ session: Session, now: Int64) -> [UInt8]? { nil }

    package func end(_ which: SessionEnd, now: Int64) async throws(SessionStoreRefusal) -> [Session] { [] }

    package func isEnded(_ session: Session, now: Int64) -> Bool { false }

    package var endings: UInt64 { 0 }

    package func sweep(now: Int64) {}
}
