import COpenSSL

/// OpenSSL's list of errors of the current thread.
public enum OpenSSLErrors {
    /// Whether nothing was left behind for a later call to trip over.
    public static var isEmpty: Bool { ERR_peek_error() == 0 }
}
