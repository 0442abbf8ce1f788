/// What is not counted but looked at when somebody asks for the page.
package struct ServingReadings: Sendable {
    /// A certificate that the gateway shows, and how long it is good.
    package struct Certificate: Sendable, Equatable {
        /// To whom it is shown.
        package enum Use: String, Sendable {
            /// To clients, by a listener.
            case listener
            /// To an upstream that asks who connects.
            case upstream
            /// To an authorization server, as one of our clients.
            case client
        }

        package var use: Use
        /// The path of its file, as the configuration has it.
        package var file: String
        /// The last second at which it is good, since 1970.
        package var notAfter: Int64

        package init(_ use: Use, file: String, notAfter: Int64) {
            self.use = use
            self.file = file
            self.notAfter = notAfter
        }
    }

    /// Sessions alive, by the client of their logins; one whose sessions are in cookies alone is not among them.
    package var sessions: [(client: String, count: Int)] = []
    /// Each file once for each use.
    package var certificates: [Certificate] = []

    package init() {}
}
