/// Every metric of the metrics page; `Metrics.md` explains each to the operator.
package enum MetricName: String, Sendable, CaseIterable {
    case requests = "portcullis_requests_total"
    case refusals = "portcullis_refusals_total"
    case requestDuration = "portcullis_request_duration_seconds"
    case upstreamDuration = "portcullis_upstream_duration_seconds"
    case connections = "portcullis_connections"
    case handshakeFailures = "portcullis_handshake_failures_total"
    case strippedFields = "portcullis_stripped_fields_total"
    case parkedRequests = "portcullis_parked_requests"
    case tokenCacheHits = "portcullis_token_cache_hits_total"
    case tokenCacheMisses = "portcullis_token_cache_misses_total"
    case tokenCacheEvictions = "portcullis_token_cache_evictions_total"
    case tokenCacheEntries = "portcullis_token_cache_entries"
    case tokenCacheBytes = "portcullis_token_cache_bytes"
    case signatureVerifications = "portcullis_signature_verifications_total"
    case proofsVerified = "portcullis_dpop_proofs_verified_total"
    case replayEntries = "portcullis_dpop_replay_entries"
    case replayBytes = "portcullis_dpop_replay_bytes"
    case replayInserts = "portcullis_dpop_replay_inserts_total"
    case replayRefusals = "portcullis_dpop_replay_refusals_total"
    case introspections = "portcullis_introspections_total"
    case loginStarts = "portcullis_login_starts_total"
    case logins = "portcullis_logins_total"
    case logouts = "portcullis_logouts_total"
    case sessionRefreshes = "portcullis_session_refreshes_total"
    case loginRequests = "portcullis_login_requests"
    case sessionCacheHits = "portcullis_session_cache_hits_total"
    case sessionCacheMisses = "portcullis_session_cache_misses_total"
    case sessionCacheEvictions = "portcullis_session_cache_evictions_total"
    case sessionCacheEntries = "portcullis_session_cache_entries"
    case sessionCacheBytes = "portcullis_session_cache_bytes"
    case issuerReady = "portcullis_issuer_ready"
    case issuerKeysAge = "portcullis_issuer_keys_age_seconds"
    case issuerRefreshes = "portcullis_issuer_refreshes_total"
    case logDropped = "portcullis_log_dropped_total"
    case loopLag = "portcullis_loop_lag_seconds"
    case configReloads = "portcullis_config_reloads_total"
    case configReloadSuccessful = "portcullis_config_last_reload_successful"
    case configApplied = "portcullis_config_applied_timestamp_seconds"
    case clockStep = "portcullis_clock_step_seconds"
    case buildInfo = "portcullis_build_info"
    case residentMemory = "process_resident_memory_bytes"
    case openDescriptors = "process_open_fds"
    case startTime = "process_start_time_seconds"

    /// The exposition format's types that we use.
    package enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    /// Whether the number only grows, moves both ways, or is a distribution.
    package var kind: Kind {
        switch self {
        case .requests, .refusals, .handshakeFailures, .strippedFields, .tokenCacheHits, .tokenCacheMisses,
            .tokenCacheEvictions, .signatureVerifications, .proofsVerified, .replayInserts, .replayRefusals,
            .introspections,
            .loginStarts, .logins, .logouts, .sessionRefreshes, .sessionCacheHits, .sessionCacheMisses,
            .sessionCacheEvictions,
            .issuerRefreshes, .logDropped, .configReloads:
            .counter
        case .requestDuration, .upstreamDuration:
            .histogram
        case .connections, .parkedRequests, .tokenCacheEntries, .tokenCacheBytes, .replayEntries, .replayBytes,
            .loginRequests, .sessionCacheEntries, .sessionCacheBytes, .issuerReady, .issuerKeysAge, .loopLag,
            .configReloadSuccessful, .configApplied, .clockStep, .buildInfo, .residentMemory, .openDescriptors,
            .startTime:
            .gauge
        }
    }

    /// One line for whoever reads the page without the manual.
    package var help: String {
        switch self {
        case .requests: "Requests answered, by route and class of the status code."
        case .refusals: "Requests refused by the gateway, by route, cause and whose fault it is."
        case .requestDuration: "From a request's first byte to its response's last byte."
        case .upstreamDuration: "From the request being sent upstream to the head of its response."
        case .connections: "Open connections, by side."
        case .handshakeFailures: "TLS handshakes of clients that came to nothing, by reason."
        case .strippedFields: "Header fields of clients removed because their names are reserved."
        case .parkedRequests: "Requests that wait for an issuer's keys."
        case .tokenCacheHits: "Tokens found already verified."
        case .tokenCacheMisses: "Tokens that had to be verified."
        case .tokenCacheEvictions: "Verified tokens forgotten to make room."
        case .tokenCacheEntries: "Verified tokens remembered."
        case .tokenCacheBytes: "Memory held by verified tokens."
        case .signatureVerifications: "Signature verifications made, by algorithm."
        case .proofsVerified: "DPoP proofs that were right in everything but, perhaps, having been used before."
        case .replayEntries: "DPoP proofs remembered so that none is accepted twice."
        case .replayBytes: "Memory held by them."
        case .replayInserts: "DPoP proofs remembered since the start."
        case .replayRefusals: "DPoP proofs refused because there was no memory to remember them."
        case .introspections: "Requests that waited for an authorization server's word on their token."
        case .loginStarts:
            "Browsers sent to the authorization server, by client; those that do not come back are in no other number."
        case .logins: "Browser logins that came back to us, or could not begin, by client and outcome."
        case .logouts: "Logouts, here or on the authorization server's word, by client."
        case .sessionRefreshes: "Refreshes of sessions' tokens, by client and outcome."
        case .loginRequests: "Requests to the paths of logins that are being answered."
        case .sessionCacheHits: "Session cookies found already opened."
        case .sessionCacheMisses: "Session cookies that had to be opened, or looked up."
        case .sessionCacheEvictions: "Opened sessions forgotten to make room."
        case .sessionCacheEntries: "Opened sessions remembered."
        case .sessionCacheBytes: "Memory held by opened sessions."
        case .issuerReady: "1 when the issuer's keys can be used, else 0."
        case .issuerKeysAge: "Time since the issuer's keys were last fetched."
        case .issuerRefreshes: "Fetches of an issuer's metadata and keys, by result."
        case .logDropped: "Log lines dropped because their destination was too slow or failed, by log."
        case .loopLag: "How late the last timer of a worker's event loop was."
        case .configReloads: "Reloads of the configuration, by result."
        case .configReloadSuccessful:
            "1 when the configuration read last is in force, but for what needs a restart; else 0."
        case .configApplied: "When the configuration in force came into force, in seconds since 1970."
        case .clockStep: "The last jump of the wall clock by a minute or more, forwards positive; 0 for none."
        case .buildInfo: "1, labelled with the version."
        case .residentMemory: "Resident memory of the process."
        case .openDescriptors: "Open file descriptors of the process."
        case .startTime: "When the process started, in seconds since 1970."
        }
    }
}
