import COpenSSL

/// OpenSSL's list of errors of the current thread.
public enum OpenSSLErrors {
    /// Whether nothing was left behind that a later call would report as its own.
    public static var isEmpty: Bool { ERR_peek_error() == 0 }
}
