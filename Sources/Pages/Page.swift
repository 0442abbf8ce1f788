/// A page as it is sent: HTML, and the policy that keeps it to what is in it.
package struct RenderedPage: Sendable {
    /// HTML in UTF-8.
    package var bytes: [UInt8]
    /// The value of `Content-Security-Policy`.
    package var contentSecurityPolicy: String
    /// Its language, for `Content-Language`.
    package var language: String
}

/// An error page: what happened, what its reader can do, and the request's id.
package struct ErrorPage: Sendable {
    /// Where a page leads; addresses on this origin, and the site's own URL.
    package enum Way: Sendable, Equatable {
        /// The address that was opened, once more.
        case sameAgain
        /// What comes nearest to it.
        case again(path: String)
        case signInAsSomebodyElse(path: String)
        case signOut(path: String)
        /// The site's own URL: the operator's word, and nobody else's.
        case site(url: String)
    }

    package var status: UInt16
    package var topic: PageTopic
    package var requestID: String
    /// What logs call the decision that it tells of; empty where there is none.
    package var decisionID = ""
    /// The first one is what most people want.
    package var ways: [Way]
    /// A way to the start page is offered too.
    package var leadsToStart: Bool
    /// It comes back by itself.
    package var comesBack: Bool
    /// It answers what somebody sent.
    package var answersForm: Bool

    package init(
        status: UInt16, topic: PageTopic, requestID: String, ways: [Way] = [], leadsToStart: Bool = true,
        comesBack: Bool = false, answersForm: Bool = false
    ) {
        self.status = status
        self.topic = topic
        self.requestID = requestID
        self.ways = ways
        self.leadsToStart = leadsToStart
        self.comesBack = comesBack
        self.answersForm = answersForm
    }
}
