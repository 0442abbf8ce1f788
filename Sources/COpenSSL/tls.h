// Macros of <openssl/ssl.h> as functions: Swift does not import macros with arguments or casts.
#pragma once
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

static inline int portcullis_set_minimum_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version);
}
static inline void portcullis_set_stream_mode(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    // Set unless it is taken away: one SSL_read would then swallow every handshake message that the peer has sent before
    // it comes back, and a peer may send KeyUpdates (RFC 8446 section 4.6.3) for as long as it likes. One megabyte of them
    // holds a worker up for seconds, its timers included.
    SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
}
static inline void portcullis_set_safe_options(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                     SSL_OP_PRIORITIZE_CHACHA);
}
static inline int portcullis_set_groups(SSL_CTX *context, const char *list) {
    int done = (int)SSL_CTX_set1_groups_list(context, list);
    if (done != 1) ERR_clear_error();
    return done;
}
static inline void portcullis_set_maximum_certificates(SSL_CTX *context, long bytes) {
    SSL_CTX_set_max_cert_list(context, bytes);
}
static inline void portcullis_set_session_cache_off(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}
static inline void portcullis_set_server_name_callback(SSL_CTX *context, int (*callback)(SSL *, int *, void *),
                                                       void *argument) {
    SSL_CTX_set_tlsext_servername_callback(context, callback);
    SSL_CTX_set_tlsext_servername_arg(context, argument);
}
static inline int portcullis_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}
static inline const char *portcullis_server_name(const SSL *ssl) {
    return SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
}

// Why a server's handshake failed, by its first error, which is forgotten with all others of the queue.
enum portcullis_handshake_failure {
    PORTCULLIS_HANDSHAKE_CLOSED,
    PORTCULLIS_HANDSHAKE_NOT_TLS,
    PORTCULLIS_HANDSHAKE_VERSION,
    PORTCULLIS_HANDSHAKE_CIPHER,
    PORTCULLIS_HANDSHAKE_CERTIFICATE,
    PORTCULLIS_HANDSHAKE_APPLICATION_PROTOCOL,
    PORTCULLIS_HANDSHAKE_ALERT,
    PORTCULLIS_HANDSHAKE_OTHER
};
static inline int portcullis_take_handshake_failure(void) {
    unsigned long code = ERR_peek_error();
    ERR_clear_error();
    if (code == 0) return PORTCULLIS_HANDSHAKE_CLOSED;
    int reason = ERR_GET_REASON(code);
    switch (reason) {
    case SSL_R_UNEXPECTED_EOF_WHILE_READING: return PORTCULLIS_HANDSHAKE_CLOSED;
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_WRONG_VERSION_NUMBER: return PORTCULLIS_HANDSHAKE_NOT_TLS;
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_UNKNOWN_PROTOCOL:
    case SSL_R_VERSION_TOO_LOW:
    // RFC 8446 section 6.2: the peer says so itself, as servers do that speak none of our versions.
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION: return PORTCULLIS_HANDSHAKE_VERSION;
    case SSL_R_NO_SHARED_CIPHER:
    case SSL_R_NO_SUITABLE_KEY_SHARE:
    case SSL_R_NO_SUITABLE_GROUPS:
    case SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM: return PORTCULLIS_HANDSHAKE_CIPHER;
    case SSL_R_NO_APPLICATION_PROTOCOL: return PORTCULLIS_HANDSHAKE_APPLICATION_PROTOCOL;
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
    case SSL_R_CERTIFICATE_VERIFY_FAILED: return PORTCULLIS_HANDSHAKE_CERTIFICATE;
    default:
        // RFC 8446 section 6: the client's own alert, such as unknown_ca for a certificate of ours.
        return reason >= SSL_AD_REASON_OFFSET ? PORTCULLIS_HANDSHAKE_ALERT : PORTCULLIS_HANDSHAKE_OTHER;
    }
}

// SSL_CTX_set_tlsext_ticket_key_evp_cb declares its callback's type in its own argument list.
static inline int portcullis_set_ticket_key_callback(SSL_CTX *context,
                                                     int (*callback)(SSL *, unsigned char *, unsigned char *,
                                                                     EVP_CIPHER_CTX *, EVP_MAC_CTX *, int)) {
    return SSL_CTX_set_tlsext_ticket_key_evp_cb(context, callback);
}
// A name of a certificate's subjectAltName, by its number among all of them: 1 and a text for a DNS name, 2 and bytes for
// an address, 0 for another kind, -1 behind the last. The pointer is the list's.
static inline int portcullis_alternative_name(const GENERAL_NAMES *names, int number, const unsigned char **start,
                                              int *count) {
    if (number >= sk_GENERAL_NAME_num(names)) return -1;
    const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, number);
    if (name->type != GEN_DNS && name->type != GEN_IPADD) return 0;
    const ASN1_STRING *value = name->type == GEN_DNS ? name->d.dNSName : name->d.iPAddress;
    *start = ASN1_STRING_get0_data(value);
    *count = ASN1_STRING_length(value);
    return name->type == GEN_DNS ? 1 : 2;
}
static inline GENERAL_NAMES *portcullis_alternative_names(const X509 *certificate) {
    return (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
}
static inline void portcullis_free_alternative_names(GENERAL_NAMES *names) { GENERAL_NAMES_free(names); }
static inline int portcullis_ticket_vector_length(void) { return 16; }
// Keys a ticket's cipher (AES-256-CBC) and MAC (HMAC-SHA256); `keys` are the 32 bytes of each, one after the other.
static inline int portcullis_key_ticket(EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac, const unsigned char *keys,
                                        const unsigned char *vector, int seals) {
    OSSL_PARAM parameters[3];
    parameters[0] = OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, (void *)(keys + 32), 32);
    parameters[1] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0);
    parameters[2] = OSSL_PARAM_construct_end();
    return EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), NULL, keys, vector, seals) == 1
           && EVP_MAC_CTX_set_params(mac, parameters) == 1;
}
static inline void portcullis_set_no_tickets(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_num_tickets(context, 0);
}
static inline void portcullis_set_client_session_cache(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
}
