import Access

/// Which key of a client's configuration says what its server did not do as expected.
///
/// For the log, whose reader has the server's answer in `found` and looks for the line of the file to hold it against.
enum LoginKey {
    /// The key behind a login's refusal, below `clients.NAME`; nil where no single key is.
    static func key(behind refusal: Refusal, _ check: String) -> String? {
        switch (refusal, check) {
        case (.loginIDTokenUnsuitable, "OIDC-05"): "id_token.algorithm"
        case (.loginIDTokenUnsuitable, "OIDC-11"): "id_token.encrypted"
        case (.loginIDTokenUnsuitable, "JOSE-22"): "decryption_keys"
        case (.loginIDTokenMissing, _): "scopes"
        case (.loginClientRefused, _): "authentication"
        case (.loginTokenTypeWrong, _): "dpop"
        case _: nil
        }
    }
}
