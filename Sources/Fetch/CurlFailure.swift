import CCurl
import HTTPMessage

/// What curl's result codes mean to whoever asked.
enum CurlFailure {
    /// The refusal for `code`, with curl's own words where they say more.
    static func refusal(for code: CURLcode, message: String) -> FetchRefusal {
        let text = message.isEmpty ? String(cString: curl_easy_strerror(code)) : message
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: return .unresolved
        case CURLE_COULDNT_CONNECT: return .connectFailed(text)
        case CURLE_OPERATION_TIMEDOUT: return .timedOut
        case CURLE_FILESIZE_EXCEEDED: return .tooLarge
        case CURLE_UNSUPPORTED_PROTOCOL: return .protocolNotAllowed
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_USE_SSL_FAILED, CURLE_SSL_ENGINE_INITFAILED:
            return .tlsFailed(text)
        default: return .failed(text)
        }
    }
}
