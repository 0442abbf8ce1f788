package import Telemetry

/// All that the status page tells of a gateway, at one moment.
///
/// There is no place here for a token, a claim, a cookie, a user or a query: what is not in it cannot be shown.
package struct StatusReport: Sendable {
    /// The configuration that is served, and how the last reload went.
    package struct Configuration: Sendable {
        /// How many came before it, and one.
        package var number: UInt32 = 1
        /// The path of its file; nil where it came from none.
        package var file: String?
        /// The SHA-256 digest of its text, in hexadecimal digits.
        package var digest: String?
        /// When it came into force, in seconds since 1970.
        package var appliedAt: Int64 = 0
        /// Why a newer one is not in force, and how many reasons there are; nil where it is the newest.
        package var fault: (text: String, count: Int)?
        /// When the last reload ended, in seconds since 1970; nil before the first.
        package var reloadedAt: Int64?
        /// Settings of it that hold only after a restart.
        package var restartNeeded: [String] = []
        package var workers = 1

        package init() {}
    }

    /// An authorization server, and its keys.
    package struct Issuer: Sendable {
        package enum State: Sendable {
            case ready, stale, waiting, withoutKeys
        }

        package var name: String
        package var url: String
        package var state = State.waiting
        package var keyCount = 0
        /// When its keys were read last, in seconds since 1970.
        package var fetchedAt: Int64?
        /// Why the latest attempt to read them failed, as a word of the log.
        package var lastError: String?
        /// Attempts that failed since the last success.
        package var failures = 0

        package init(_ name: String, url: String) {
            self.name = name
            self.url = url
        }
    }

    /// A request that was refused, as far as `explain_buffer` keeps it; without the query of its target.
    package struct RefusedRequest: Sendable {
        /// 32 hexadecimal digits.
        package var id: String
        /// In seconds since 1970.
        package var time: Int64
        package var method = ""
        package var path = ""
        package var cause: String
        package var status: UInt16

        package init(id: String, time: Int64, cause: String, status: UInt16) {
            self.id = id
            self.time = time
            self.cause = cause
            self.status = status
        }
    }

    /// In seconds since 1970.
    package var now: Int64
    /// When the process began, in seconds since 1970.
    package var startedAt: Int64
    package var version: String
    /// The URL that clients know the first listener by.
    package var site = ""
    /// No new client is taken, and the process ends when those that are there have been served.
    package var isDraining = false
    package var configuration = Configuration()
    package var issuers: [Issuer] = []
    /// Since the process began.
    package var total = MetricsFigures()
    /// Of the last seconds, and how many these are.
    package var recent: (figures: MetricsFigures, seconds: Int64) = (MetricsFigures(), 1)
    package var serving = ServingReadings()
    package var replay: ReplayReadings?
    package var process = ProcessReadings()
    /// The newest first; nil where requests are not kept.
    package var refusedRequests: [RefusedRequest]?

    package init(now: Int64, startedAt: Int64, version: String) {
        self.now = now
        self.startedAt = startedAt
        self.version = version
    }
}
