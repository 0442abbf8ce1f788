#include "es256.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "wire.h"

enum { COORDINATE = 32 };

// base64url without padding (RFC 7515 §2); returns where the text ends.
char *encode(char *out, const unsigned char *bytes, size_t count) {
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    size_t at = 0;
    for (; at + 2 < count; at += 3) {
        unsigned group = bytes[at] << 16 | bytes[at + 1] << 8 | bytes[at + 2];
        *out++ = alphabet[group >> 18];
        *out++ = alphabet[group >> 12 & 63];
        *out++ = alphabet[group >> 6 & 63];
        *out++ = alphabet[group & 63];
    }
    if (at < count) {
        unsigned group = bytes[at] << 16 | (at + 1 < count ? bytes[at + 1] << 8 : 0);
        *out++ = alphabet[group >> 18];
        *out++ = alphabet[group >> 12 & 63];
        if (at + 1 < count) *out++ = alphabet[group >> 6 & 63];
    }
    *out = 0;
    return out;
}

static void digest_text(char *out, const char *text, size_t count) {
    unsigned char digest[32];
    if (!EVP_Digest(text, count, digest, NULL, EVP_sha256(), NULL)) fail("no digest");
    encode(out, digest, sizeof digest);
}

struct signer signer_of(EVP_PKEY *key) {
    struct signer made = {key, key ? EVP_PKEY_CTX_new(key, NULL) : NULL};
    if (!made.context || EVP_PKEY_sign_init(made.context) <= 0) fail("no key to sign with");
    return made;
}

void forget(struct signer *signer) {
    EVP_PKEY_CTX_free(signer->context);
    EVP_PKEY_free(signer->key);
}

// Appends "." and the signature of everything from `text` to `end`: r and s side by side (RFC 7518 §3.4).
char *sign(const struct signer *signer, const char *text, char *end) {
    unsigned char digest[32], der[128], both[2 * COORDINATE];
    size_t count = sizeof der;
    if (!EVP_Digest(text, end - text, digest, NULL, EVP_sha256(), NULL)
        || EVP_PKEY_sign(signer->context, der, &count, digest, sizeof digest) <= 0)
        fail("no signature");
    const unsigned char *at = der;
    ECDSA_SIG *numbers = d2i_ECDSA_SIG(NULL, &at, (long)count);
    if (!numbers) fail("no signature");
    BN_bn2binpad(ECDSA_SIG_get0_r(numbers), both, COORDINATE);
    BN_bn2binpad(ECDSA_SIG_get0_s(numbers), both + COORDINATE, COORDINATE);
    ECDSA_SIG_free(numbers);
    *end++ = '.';
    return encode(end, both, sizeof both);
}

struct client *new_client(const struct signer *issuer, const char *kid, const char *claims) {
    struct client *client = malloc(sizeof *client);
    if (!client) fail("no memory");
    client->signer = signer_of(EVP_EC_gen("P-256"));
    unsigned char point[1 + 2 * COORDINATE];
    size_t count = 0;
    if (!EVP_PKEY_get_octet_string_param(
            client->signer.key, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point, &count)
        || count != sizeof point)
        fail("no public key");
    char x[64], y[64], thumbprint[64], text[TEXT_BYTES];
    encode(x, point + 1, COORDINATE);
    encode(y, point + 1 + COORDINATE, COORDINATE);
    int length = snprintf(text, sizeof text, "{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"%s\",\"y\":\"%s\"}", x, y);
    digest_text(thumbprint, text, (size_t)length);
    length = snprintf(
        text, sizeof text, "{\"typ\":\"dpop+jwt\",\"alg\":\"ES256\",\"jwk\":{\"kty\":\"EC\",\"crv\":\"P-256\","
        "\"x\":\"%s\",\"y\":\"%s\"}}", x, y);
    encode(client->header, (unsigned char *)text, (size_t)length);
    length = snprintf(text, sizeof text, "{\"typ\":\"at+jwt\",\"alg\":\"ES256\",\"kid\":\"%s\"}", kid);
    char *end = encode(client->token, (unsigned char *)text, (size_t)length);
    length = snprintf(text, sizeof text, "%s,\"cnf\":{\"jkt\":\"%s\"}}", claims, thumbprint);
    if (length >= TEXT_BYTES / 2) fail("the claims are too long");
    *end++ = '.';
    end = encode(end, (unsigned char *)text, (size_t)length);
    end = sign(issuer, client->token, end);
    digest_text(client->token_digest, client->token, (size_t)(end - client->token));
    return client;
}

size_t write_proof(
    const struct client *client, const char *method, const char *target, const char *run, long number, char *proof) {
    char claims[TEXT_BYTES];
    int length = snprintf(
        claims, sizeof claims, "{\"jti\":\"%s%08lx\",\"htm\":\"%s\",\"htu\":\"%s\",\"iat\":%ld,\"ath\":\"%s\"}", run, number,
        method, target, (long)time(NULL), client->token_digest);
    if (length >= TEXT_BYTES / 2) fail("the target is too long");
    char *end = stpcpy(proof, client->header);
    *end++ = '.';
    end = encode(end, (unsigned char *)claims, (size_t)length);
    return (size_t)(sign(&client->signer, proof, end) - proof);
}

void name_run(char *run) {
    unsigned char random[12];
    if (RAND_bytes(random, sizeof random) != 1) fail("no randomness");
    encode(run, random, sizeof random);
}

struct signer signer_in(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) fail("%s cannot be read", path);
    struct signer signer = signer_of(PEM_read_PrivateKey(file, NULL, NULL, NULL));
    fclose(file);
    return signer;
}
