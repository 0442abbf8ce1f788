// Signing by ES256 (RFC 7518 §3.4): access tokens, tokens bound to a key, and DPoP proofs by that key (RFC 9449).
#ifndef ES256_H
#define ES256_H
#include <openssl/evp.h>
#include <stddef.h>

enum { TEXT_BYTES = 4096, RUN_BYTES = 32 };

// A key that signs by ES256.
struct signer {
    EVP_PKEY *key;
    EVP_PKEY_CTX *context;
};

struct signer signer_of(EVP_PKEY *key);
struct signer signer_in(const char *path);
void forget(struct signer *);

// base64url without padding (RFC 7515 §2); returns where the text ends.
char *encode(char *out, const unsigned char *bytes, size_t count);

// Appends "." and the signature of everything from `text` to `end`.
char *sign(const struct signer *, const char *text, char *end);

// A client: its key, the header that all of its proofs share, and its token.
struct client {
    struct signer signer;
    char header[TEXT_BYTES];
    char token[TEXT_BYTES];
    char token_digest[64];
};

// `claims` are those of its token as JSON, without the closing brace: the confirmation of the key is added.
struct client *new_client(const struct signer *issuer, const char *kid, const char *claims);

// A name that no other run has, for the jti of proofs and tokens: at most RUN_BYTES.
void name_run(char *run);

// Writes a fresh proof with the jti RUN NUMBER, at most 2 × TEXT_BYTES; returns its length.
size_t write_proof(
    const struct client *, const char *method, const char *target, const char *run, long number, char *proof);
#endif
