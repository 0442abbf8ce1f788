// SPDX-License-Identifier: Apache-2.0

/// Ends sessions: by the user's own logout, and by what the authorization server says.
///
/// Answers `logout/`, `logged-out/`, `backchannel-logout/` and `frontchannel-logout/`; made of the clients' places, the
/// revocation queue and the service's sources, clock and listener.
final class LogoutDesk: Sendable {
    /// Answers a request to one of its four endpoints; for any other one, 404.
    func answer(_ request: LoginRequest) async -> LoginAnswer {
        LoginAnswer(.refused(.requestObjectUnknown, detail: LoginDetail(expected: "", found: "", check: "LO-01")))
    }
}
