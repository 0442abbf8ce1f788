/// What a POST to an authorization server consists of, beside its URL; holds secrets, and prints none.
public struct AuthenticatedForm: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `Content-Type`, and `Authorization` for `client_secret_basic`.
    public var headers: [(String, String)]
    /// The form.
    public var body: [UInt8]
    /// The PEM file of the client's certificate and its chain, to present in the handshake.
    public var certificateFile: String?
    /// The PEM file of that certificate's key.
    public var keyFile: String?

    init(headers: [(String, String)], body: [UInt8], certificateFile: String?, keyFile: String?) {
        self.headers = headers
        self.body = body
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }

    /// `[authenticated form]`.
    public var description: String { "[authenticated form]" }

    /// `[authenticated form]`.
    public var debugDescription: String { "[authenticated form]" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: nil) }
}
