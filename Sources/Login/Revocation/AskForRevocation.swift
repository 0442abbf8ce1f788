import Crypto
import HTTPMessage
import Issuers
import OAuth
import Refusals

extension LoginClient {
    /// Asks the server once to revoke a token (RFC 7009 §2.1), authenticated as everywhere else.
    func revoke(_ token: Secret, hint: TokenRequest.Hint) async -> RevocationQueue.Outcome {
        do throws(ServerRefusal) {
            let response = try await post(
                TokenRequest.revocation(token, hint: hint), to: { $0.revocation }, for: .revocation)
            switch RevocationResponse.read(response) {
            case .done, .unsupported: return .done
            case .again(let seconds): return .later(retryAfterSeconds: seconds, reason: "server_unavailable")
            case .nonceDemanded: return .refused(reason: "nonce_demanded")
            case .refused(let error):
                return .refused(reason: error.meaning == .clientRefused ? "client_refused" : "request_refused")
            }
        } catch {
            switch error {
            // Not offered: the token ends by itself, and nobody could do more.
            case .notMade(.endpointMissing): return .done
            case .notMade(.metadataMissing): return .later(retryAfterSeconds: nil, reason: "metadata_missing")
            case .notMade(let refusal): return .refused(reason: refusal.word)
            case .notProven, .nonceDemanded: return .refused(reason: "not_proven")
            case .unreachable, .unanswered: return .later(retryAfterSeconds: nil, reason: "server_unreachable")
            }
        }
    }
}
