/// Why a connection of HTTP/2 was told to end, as the metric's label names it.
package enum GoAwayCause: Int, Sendable, CaseIterable {
    /// Nothing was asked for a while.
    case idle
    /// The process ends.
    case shutdown
    /// A reload took its listener away, or what its handshake proved is to be proved anew.
    case reload
    /// It had as many streams as one connection may have, or is as old as one may become.
    case age
    /// Its client resets streams more often than not.
    case resets
    /// None of its answers was taken.
    case stalled
    /// It did too much of what costs it nothing.
    case calm
    /// Its client broke a rule of the protocol.
    case fault
    /// Its client did not acknowledge our SETTINGS.
    case settings
    /// The gateway could not go on with it: nothing that its client did.
    case own

    var label: String {
        switch self {
        case .idle: "idle"
        case .shutdown: "shutdown"
        case .reload: "reload"
        case .age: "age"
        case .resets: "resets"
        case .stalled: "stalled"
        case .calm: "calm"
        case .fault: "fault"
        case .settings: "settings_timeout"
        case .own: "internal"
        }
    }
}

/// What a client of HTTP/2 did until it was told to calm down.
package enum CalmReason: Int, Sendable, CaseIterable {
    case resets
    case cheapFrames
    case oversizedHeads
    case sectionTooLarge

    /// The word that the operator log has for it, too.
    var label: String {
        switch self {
        case .resets: "h2_resets"
        case .cheapFrames: "h2_cheap_frames"
        case .oversizedHeads: "h2_oversized_heads"
        case .sectionTooLarge: "h2_section_too_large"
        }
    }
}

/// The codes of RST_STREAM by their numbers (RFC 9113 §7), as the metric and the access log name them.
package enum ResetCode: Int, Sendable, CaseIterable {
    case noError, protocolError, internalError, flowControlError, settingsTimeout, streamClosed, frameSizeError
    case refusedStream, cancel, compressionError, connectError, enhanceYourCalm, inadequateSecurity, http11Required
    /// Any number that has no name.
    case other

    package var word: StaticString {
        switch self {
        case .noError: "no_error"
        case .protocolError: "protocol_error"
        case .internalError: "internal_error"
        case .flowControlError: "flow_control_error"
        case .settingsTimeout: "settings_timeout"
        case .streamClosed: "stream_closed"
        case .frameSizeError: "frame_size_error"
        case .refusedStream: "refused_stream"
        case .cancel: "cancel"
        case .compressionError: "compression_error"
        case .connectError: "connect_error"
        case .enhanceYourCalm: "enhance_your_calm"
        case .inadequateSecurity: "inadequate_security"
        case .http11Required: "http_1_1_required"
        case .other: "other"
        }
    }
}

/// Who reset a stream.
package enum ResetSender: Int, Sendable, CaseIterable {
    case client
    case gateway

    package var word: StaticString {
        switch self {
        case .client: "client"
        case .gateway: "gateway"
        }
    }
}

extension MetricsLayout {
    /// The numbers of HTTP/2 that have labels.
    static let http2Cells =
        GoAwayCause.allCases.count + CalmReason.allCases.count + ResetSender.allCases.count * ResetCode.allCases.count

    func goAway(_ cause: GoAwayCause) -> Int { firstHTTP2 + cause.rawValue }

    func calm(_ reason: CalmReason) -> Int { firstHTTP2 + GoAwayCause.allCases.count + reason.rawValue }

    func reset(_ sender: ResetSender, _ code: ResetCode) -> Int {
        firstHTTP2 + GoAwayCause.allCases.count + CalmReason.allCases.count
            + sender.rawValue * ResetCode.allCases.count + code.rawValue
    }
}

extension WorkerMetrics {
    /// Counts a connection of HTTP/2 that was told to end.
    package func count(_ cause: GoAwayCause) { bank.add(1, at: layout.goAway(cause)) }

    /// Counts a connection of HTTP/2 whose client was told to calm down.
    package func count(_ reason: CalmReason) { bank.add(1, at: layout.calm(reason)) }

    /// Moves the number of resets of one kind to what was counted elsewhere.
    package func set(_ sender: ResetSender, _ code: ResetCode, to count: UInt64) {
        bank.store(count, at: layout.reset(sender, code))
    }
}

extension MetricsPage {
    /// The numbers of connections that speak HTTP/2.
    func writeHTTP2(_ metric: MetricName, to text: inout ExpositionText) {
        switch metric {
        case .http2Connections: text.sample(metric, .whole(sum(.http2Connections)))
        case .http2OpenStreams: text.sample(metric, .whole(sum(.http2OpenStreams)))
        case .http2Streams: text.sample(metric, .unsigned(sum(.http2Streams)))
        case .http2GoAways:
            for cause in GoAwayCause.allCases {
                text.sample(metric, .unsigned(sum(at: layout.goAway(cause))), labels: [("cause", cause.label)])
            }
        case .http2Calms:
            for reason in CalmReason.allCases {
                text.sample(metric, .unsigned(sum(at: layout.calm(reason))), labels: [("cause", reason.label)])
            }
        case _:
            for sender in ResetSender.allCases {
                for code in ResetCode.allCases {
                    let count = sum(at: layout.reset(sender, code))
                    text.sample(
                        metric, .unsigned(count), labels: [("side", "\(sender.word)"), ("code", "\(code.word)")])
                }
            }
        }
    }
}
