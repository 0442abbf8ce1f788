import Refusals

/// Cookies, and where browsers are sent, hold what is a login's own secret: an answer prints as what kind it is.
extension LoginAnswer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `[login answer: redirect]`.
    package var description: String {
        switch content {
        case .redirect: "[login answer: redirect]"
        case .page: "[login answer: page]"
        case .document: "[login answer: document]"
        case .done: "[login answer: done]"
        case .refused(let refusal, _): "[login answer: \(refusal)]"
        }
    }

    /// The same as `description`.
    package var debugDescription: String { description }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: nil) }
}
