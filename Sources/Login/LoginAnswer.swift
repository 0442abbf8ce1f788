package import Refusals

/// What a login request is answered with; the gateway adds framing, the request id and the fields every answer has.
package struct LoginAnswer: Sendable {
    package enum Content: Sendable {
        /// 303: `Location`, an absolute URL or a path on this origin (CF-11).
        case redirect(String)
        /// 200 with a page of ours.
        case page(LoginPage)
        /// 200 with this type and content: a session's JSON, a hosted request object.
        case document(type: String, bytes: [UInt8])
        /// 200 without content.
        case done
        /// The status, page, log word and metric are those of the refusal in the gateway's table.
        case refused(Refusal, detail: RefusalDetail)
    }

    package var content: Content
    /// Values of `Set-Cookie`, each a line of its own.
    package var cookies: [String]
    /// Fields beside those, such as `Allow`.
    package var fields: [(String, String)]
    /// Where the error page's "try again" leads, a path on this origin; nil for none.
    package var retry: String?

    package init(
        _ content: Content, cookies: [String] = [], fields: [(String, String)] = [], retry: String? = nil
    ) {
        self.content = content
        self.cookies = cookies
        self.fields = fields
        self.retry = retry
    }
}
