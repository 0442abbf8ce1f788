import HTTPMessage
public import JSON

/// Why a pushed authorization request gave no reference; the login ends, and no other form is tried (PAR-05, JAR-09).
public enum PushRefusal: Error, Sendable, Equatable {
    /// The server does not take this request: the configuration is wrong on either side; an alarm.
    case refused(ErrorResponse)
    /// The server does not take us for the client; an alarm.
    case clientRefused(ErrorResponse)
    /// The server asks for a nonce in the DPoP proof (RFC 9449 §8).
    case nonceDemanded
    /// The server cannot answer now, and perhaps says when it can.
    case unavailable(status: Int, retryAfterSeconds: Int?)

    // A success that is none (PAR-03).

    /// A status between success and error.
    case status(Int)
    /// More than 16 KiB.
    case tooLarge(bytes: Int)
    case contentType(String)
    /// Not strict JSON.
    case notJSON(JSONRefusal)
    /// JSON, but no object.
    case notAnObject
    /// A member that RFC 9126 §2.2 requires is absent.
    case missingMember(String)
    /// A member has another type than its specification gives it, or a value that cannot be used.
    case memberMalformed(String)

    /// What an answer that is no success means.
    init(status response: FetchResponse) {
        let error = ErrorResponse(response)
        switch (error.code, response.status) {
        case ("use_dpop_nonce", 400...403): self = .nonceDemanded
        case ("invalid_client", 400...499), ("unauthorized_client", 400...499): self = .clientRefused(error)
        case (_, 401): self = .clientRefused(error)
        case ("temporarily_unavailable", 400...499), ("server_error", 400...499), (_, 405), (_, 408), (_, 413),
            (_, 429), (_, 500...):
            self = .unavailable(status: response.status, retryAfterSeconds: response.retryAfterSeconds)
        case (_, 400...499): self = .refused(error)
        case (_, _): self = .status(response.status)
        }
    }
}
