package import HTTP1

extension WebSocketOfferRefusal {
    /// What the operator's log says was there instead of a handshake.
    package var found: String {
        switch self {
        case .keyMissing: "key missing"
        case .keyRepeated: "key repeated"
        case .keyMalformed: "key malformed"
        case .versionMissing: "version missing"
        case .versionRepeated: "version repeated"
        case .versionUnknown: "version unknown"
        }
    }
}
