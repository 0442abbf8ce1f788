/// Every `event` an operator can meet in the operator log; `LogWords.md` explains each to them.
package enum LogEvent: String, Sendable, CaseIterable {
    // The store of what replicas have in common

    /// A server of the store takes commands.
    case storeConnected = "store_connected"
    /// A server of the store takes no commands any more, or still none.
    case storeLost = "store_lost"
    /// A server does not fit to what is configured of the store.
    case storeUnsuitable = "store_unsuitable"
    /// One in a hundred commands of a minute took a server of the store more than half of the time that they have.
    case storeSlow = "store_slow"
    /// The store knows nothing yet, or did not until a moment ago.
    case storeNew = "store_new"
    /// The store refused a command.
    case storeRefused = "store_refused"
    /// This machine's clock is so far from the store's that the gateway is not ready.
    case storeClockDiffers = "store_clock_differs"
    /// The store has lost what it knew, or may have.
    case storeForgot = "store_forgot"
    /// The store is down, and each process judges proofs by what it let through itself.
    case storeProofsLocal = "store_proofs_local"
    case storeLimitsLocal = "store_limits_local"

    // The process

    /// The process runs and has read its configuration.
    case started
    /// A socket accepts connections.
    case listening
    /// The configuration deserves a second look although it loads.
    case configurationWarning = "configuration_warning"
    /// The process may open fewer descriptors than the limits promise connections.
    case descriptorsShort = "descriptors_short"
    /// The process may open fewer descriptors than the default of connections: there are fewer connections.
    case connectionsFitted = "connections_fitted"
    /// A dangerous relaxation is switched on.
    case insecureSetting = "insecure_setting"
    /// The configuration is read again, because of SIGHUP or of a file that it names.
    case reloading
    /// A configuration that was read again is served by.
    case reloaded
    /// Sessions that a reload leaves behind: they are looked for no longer where they are.
    case sessionsLeftBehind = "sessions_left_behind"
    /// A configuration that was read again cannot be served by; the one before stays.
    case reloadRefused = "reload_refused"
    /// A setting of the configuration that was read again holds from the next start on.
    case restartNeeded = "restart_needed"
    /// A log's file could not be opened anew; lines go on into the one before.
    case logNotReopened = "log_not_reopened"
    /// The destination of the audit log did not take all of its lines.
    case auditLinesLost = "audit_lines_lost"
    /// A reload took a listener away.
    case listenerClosed = "listener_closed"
    /// SIGTERM or SIGINT came: new connections are turned away, but at sockets handed over; exchanges in flight go on.
    case stopping
    /// All exchanges ended before the time for it was over.
    case drained
    /// The time to drain was over first; the connections that were left have been closed.
    case drainTimedOut = "drain_timed_out"
    /// The service manager cannot be told how the process is; said once.
    case notifyFailed = "notify_failed"
    /// The wall clock moved against the monotonic one by a minute or more.
    case clockStepped = "clock_stepped"
    /// Spans did not reach the collector; said once a minute at most.
    case traceExportFailed = "trace_export_failed"
    /// The process is out of file descriptors or memory for new connections.
    case acceptFailed = "accept_failed"

    // Requests

    /// A request was refused; the line has the check, what it expected and what it found.
    case refused
    /// A TLS handshake with a client failed.
    case handshakeFailed = "handshake_failed"
    /// Connections are turned away, of one client or of all; said every ten seconds at most.
    case connectionsRefused = "connections_refused"
    /// A client was cut off because it takes its answer too slowly.
    case clientTooSlow = "client_too_slow"
    /// A connection of HTTP/2 was ended for what its client did on it.
    case streamsEnded = "streams_ended"
    /// A stream of HTTP/2 was reset at its head, which no request can have.
    case streamMalformed = "stream_malformed"

    // Upstreams

    /// No connection to an upstream could be made: name, TCP or TLS.
    case upstreamConnectFailed = "upstream_connect_failed"
    /// One address of an upstream could not be connected to; the others come before it for a while.
    case upstreamAddressPutBack = "upstream_address_put_back"
    /// One server of several gets no requests for a while: it failed too many in a row.
    case upstreamServerEjected = "upstream_server_ejected"
    /// One server of several gets no requests: its answers to checks say that it is not well.
    case upstreamServerDown = "upstream_server_down"
    /// Its answers to checks say that it is well again.
    case upstreamServerUp = "upstream_server_up"
    /// No server of an upstream is well, so that all are used.
    case upstreamAllServersOut = "upstream_all_servers_out"
    /// The name of an upstream leads to other addresses than before.
    case upstreamAddressesChanged = "upstream_addresses_changed"
    /// The name of an upstream cannot be looked up again; its last addresses are used for a while.
    case upstreamNameFailed = "upstream_name_failed"
    /// An upstream answered with something that is not HTTP/1.1, or with contradictory framing.
    case upstreamProtocolError = "upstream_protocol_error"
    /// An upstream's response ended in the middle.
    case upstreamBrokeOff = "upstream_broke_off"
    /// An upstream did not answer in time.
    case upstreamTimedOut = "upstream_timed_out"

    // Issuers

    /// An issuer's keys are at hand for the first time, or again.
    case issuerReady = "issuer_ready"
    /// An issuer's metadata or key set could not be fetched or was refused.
    case issuerRefreshFailed = "issuer_refresh_failed"
    /// Keys past their lifetime are still used because they cannot be refreshed.
    case issuerKeysStale = "issuer_keys_stale"
    /// Keys are no longer used: the stale limit passed. Requests are answered 503.
    case issuerKeysWithdrawn = "issuer_keys_withdrawn"
    /// An issuer's key set has new content.
    case issuerKeysChanged = "issuer_keys_changed"
    /// An issuer's metadata was read.
    case issuerMetadataRead = "issuer_metadata_read"
    /// An issuer's keys are read again because a token names one that is not at hand.
    case issuerKeysReread = "issuer_keys_reread"
    /// An issuer's metadata names other endpoints than before.
    case issuerMetadataChanged = "issuer_metadata_changed"
    /// An issuer's metadata names an endpoint that a client needs, at a port that nothing is sent to.
    case endpointRefused = "endpoint_refused"
    /// A key of a key set cannot be used and was left out.
    case keyIgnored = "key_ignored"
    /// A key of a key set is of a generator that made private keys guessable: the issuer must replace it.
    case keyGuessable = "key_guessable"
    /// A key set publishes a private or symmetric key: the issuer must replace it.
    case privateKeyPublished = "private_key_published"
    /// An issuer could not say whether tokens are active.
    case introspectionFailed = "introspection_failed"
    /// An issuer gave no token for an upstream.
    case exchangeFailed = "exchange_failed"
    /// An issuer does not take this gateway for its client: credentials or registration are wrong.
    case clientRefused = "client_refused"
    /// An issuer knows nothing of the upstream that a token was to be exchanged for.
    case exchangeTargetRefused = "exchange_target_refused"

    // Logins

    /// A browser was sent to the authorization server.
    case loginStarted = "login_started"
    /// A user logged in.
    case loggedIn = "logged_in"
    /// A session ended by a logout, here or at the authorization server.
    case loggedOut = "logged_out"
    /// A session's tokens were refreshed, or not; the line says which.
    case sessionRefreshed = "session_refreshed"
    /// A login failed in a way that only the operator can mend: registration, credentials, capabilities.
    case loginAlarm = "login_alarm"
    /// Tokens of a session that ended could not be revoked.
    case revocationFailed = "revocation_failed"
    /// A client asked for a WebSocket where the route lets none through.
    case webSocketNotEnabled = "websocket_not_enabled"
    /// An upstream tried to set a cookie that only the gateway sets.
    case upstreamCookieDropped = "upstream_cookie_dropped"

    // Identity assertions

    /// Another key signs identity assertions from now on, or an old one is published no more.
    case assertionKeysRotated = "assertion_keys_rotated"
    /// No new key could be made: the one at hand goes on signing.
    case assertionKeysNotRotated = "assertion_keys_not_rotated"
}
