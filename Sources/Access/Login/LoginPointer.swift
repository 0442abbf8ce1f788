import Bytes
package import HTTPMessage

/// Where a request without a session is sent, said when it is refused.
package struct LoginPointer: Sendable, Equatable {
    /// The path and query that the login begins at.
    package var location = ""
    /// A person waits for a page: the browser is sent there, a script is told (CF-08).
    package var isNavigation = false
    /// The form that was posted is kept, and sent again after the login.
    package var keepsForm = false

    /// Leads nowhere yet.
    package init() {}

    /// Where a login for this request begins.
    ///
    /// - Parameter stepsUp: the login is asked for more than the client's own wishes, as the route says (STEP-04).
    package init(_ policy: FixedValue<LoginPolicy>, _ head: HeadView, stepsUp: Bool) {
        isNavigation = head.isNavigation()
        location = policy.pointee.startPath
        var separator = "?"
        if isNavigation {
            location += "?return_to=" + LoginPointer.escaped(head.pathAndQuery)
            separator = "&"
        }
        if stepsUp, policy.pointee.stepUp >= 0 { location += "\(separator)step_up=\(policy.pointee.stepUp)" }
        keepsForm = policy.pointee.keepsForm && head.methodID == .post && isNavigation
    }

    /// What stands behind the `?` of `location`.
    package var query: [UInt8] { Array(location.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()) }

    /// Longest target in bytes that a login brings its user back to; from a longer one it leads to the root.
    private static let targetLimit = 2048

    /// A target as the value of one query parameter.
    package static func escaped(_ target: Span<UInt8>) -> String {
        guard target.count <= targetLimit else { return "%2F" }
        var text: [UInt8] = []
        FormEncoding.append(target, to: &text)
        return text.isEmpty ? "%2F" : String(decoding: text, as: UTF8.self)
    }
}

extension HeadView {
    /// Whether a person waits for a page: only then does a login begin, for an image or a script that was sent to one
    /// would end in an error, and the last of them would decide where the user comes back to.
    ///
    /// `otherwise` is for clients that say nothing of either kind.
    package func isNavigation(otherwise: Bool = false) -> Bool {
        switch methodID {
        case .get, .head, .post: break
        case .other, .put, .delete, .patch, .options, .connect, .trace, .track: return false
        }
        guard !offersWebSocket else { return false }
        var signs = NavigationSigns()
        for index in 0..<fieldCount {
            switch id(at: index) {
            case .secFetchMode: signs.seeMode(value(at: index))
            case .secFetchDest: signs.seeDestination(value(at: index))
            case .accept: signs.seeAccept(value(at: index))
            default: continue
            }
        }
        // A page that is fetched before anybody asks for it must not begin a login.
        return signs.isNavigation(otherwise: otherwise) && !hasField("sec-purpose") && !hasField("x-requested-with")
    }

    /// The path and query of the target, as received; empty where it has no path.
    fileprivate var pathAndQuery: Span<UInt8> {
        @_lifetime(copy self) get {
            path.isEmpty ? path : text(pathAndQueryRange)
        }
    }
}
