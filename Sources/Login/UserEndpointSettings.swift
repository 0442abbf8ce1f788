/// Where a server that makes no ID tokens says who somebody is, and how.
package struct UserEndpointSettings: Sendable, Equatable {
    /// What is asked with the access token.
    package var url: String
    /// The member of the answer that is the subject.
    package var subject: String
    /// What is asked for the addresses of mail that the server verified; nil: no address is verified.
    package var emailsURL: String?

    package init(url: String, subject: String, emailsURL: String? = nil) {
        self.url = url
        self.subject = subject
        self.emailsURL = emailsURL
    }
}
