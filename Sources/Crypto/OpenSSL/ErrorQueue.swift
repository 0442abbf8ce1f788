import COpenSSL

/// OpenSSL's per-thread list of errors, which a later call on the same thread would misread as its own.
enum ErrorQueue {
    /// Empties the list (`ERR_clear_error`); called after each failure.
    static func clear() {
        ERR_clear_error()
    }
}
