// SPDX-License-Identifier: Apache-2.0

/// Request objects that the authorization server fetches here, each for two minutes (RFC 9101 §5.2; JAR-20 … JAR-23).
final class HostedRequests: Sendable {
    init(limit: Int = 4096) {}

    /// Keeps an object for the login with this state; the last segment of its URL, nil when there is no room.
    func publish(_ object: [UInt8], state: String, at milliseconds: Int64) -> String? { nil }

    /// Forgets the object of a login that has come back (JAR-22).
    func remove(state: String) {}

    /// Answers a fetch of `request/<id>`.
    func answer(_ request: LoginRequest, at milliseconds: Int64) -> LoginAnswer {
        LoginAnswer(.refused(.requestObjectUnknown, detail: LoginDetail(expected: "", found: "", check: "JAR-21")))
    }
}
