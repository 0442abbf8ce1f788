#pragma once
// The low-level SHA-2 functions are marked deprecated, yet they are the only ones that neither allocate nor look an
// algorithm up; only the inline functions below call them.
#ifndef OPENSSL_SUPPRESS_DEPRECATED
#define OPENSSL_SUPPRESS_DEPRECATED
#endif
#include <limits.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>

// EVP_RSA_gen, EVP_EC_gen and EVP_PKEY_Q_keygen are macros or take a variable argument list.
static inline EVP_PKEY *COpenSSL_RSA_gen(unsigned int bits) { return EVP_RSA_gen(bits); }
static inline EVP_PKEY *COpenSSL_EC_gen(const char *curve) { return EVP_EC_gen(curve); }
static inline EVP_PKEY *COpenSSL_ED25519_gen(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"); }
static inline EVP_PKEY *COpenSSL_X25519_gen(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "X25519"); }
static inline EVP_PKEY *COpenSSL_ED448_gen(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "ED448"); }

// SHA-2 with its context on the stack.
static inline void COpenSSL_SHA256(const void *bytes, size_t count, void *digest) {
    SHA256_CTX context;
    SHA256_Init(&context);
    SHA256_Update(&context, bytes, count);
    SHA256_Final((unsigned char *)digest, &context);
}
static inline void COpenSSL_SHA384(const void *bytes, size_t count, void *digest) {
    SHA512_CTX context;
    SHA384_Init(&context);
    SHA384_Update(&context, bytes, count);
    SHA384_Final((unsigned char *)digest, &context);
}
static inline void COpenSSL_SHA512(const void *bytes, size_t count, void *digest) {
    SHA512_CTX context;
    SHA512_Init(&context);
    SHA512_Update(&context, bytes, count);
    SHA512_Final((unsigned char *)digest, &context);
}

// A public key from parameters. The parameters' names are macros, and the array keeps pointers to them and to the
// bytes until the key is made, so it is filled and used in one place.
static inline EVP_PKEY *COpenSSL_public_key(const char *algorithm, OSSL_PARAM *parameters) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, algorithm, NULL);
    if (context == NULL || EVP_PKEY_fromdata_init(context) != 1
        || EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    EVP_PKEY_CTX_free(context);
    return key;
}

// Modulus and exponent are big-endian; the caller has checked their sizes.
static inline EVP_PKEY *COpenSSL_RSA_public_key(
    const unsigned char *modulus, size_t modulus_count, const unsigned char *exponent, size_t exponent_count) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    BIGNUM *n = BN_bin2bn(modulus, (int)modulus_count, NULL);
    BIGNUM *e = BN_bin2bn(exponent, (int)exponent_count, NULL);
    if (builder != NULL && n != NULL && e != NULL
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1)
        parameters = OSSL_PARAM_BLD_to_param(builder);
    if (parameters != NULL) key = COpenSSL_public_key("RSA", parameters);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    BN_free(n);
    BN_free(e);
    return key;
}

// `point` is uncompressed: 04, x, y. NULL unless it is on the curve.
static inline EVP_PKEY *COpenSSL_EC_public_key(const char *curve, const unsigned char *point, size_t count) {
    OSSL_PARAM parameters[3];
    parameters[0] = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)curve, 0);
    parameters[1] = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, count);
    parameters[2] = OSSL_PARAM_construct_end();
    return COpenSSL_public_key("EC", parameters);
}

// PEM_read_bio_PrivateKey without anybody being asked for a passphrase: the library would prompt on the terminal.
static inline int COpenSSL_refuse_passphrase(char *buffer, int size, int writing, void *context) {
    (void)buffer, (void)size, (void)writing, (void)context;
    return -1;
}
static inline EVP_PKEY *COpenSSL_read_private_key(const void *text, size_t count) {
    if (count > INT_MAX) return NULL;
    BIO *bytes = BIO_new_mem_buf(text, (int)count);
    if (bytes == NULL) return NULL;
    EVP_PKEY *key = PEM_read_bio_PrivateKey(bytes, NULL, COpenSSL_refuse_passphrase, NULL);
    BIO_free(bytes);
    return key;
}

// A private key as PKCS#8 in PEM, not encrypted; 0 when it does not fit. The library's own copy is wiped.
static inline size_t COpenSSL_write_private_key(const EVP_PKEY *key, void *text, size_t capacity) {
    if (capacity > INT_MAX) return 0;
    BIO *bytes = BIO_new(BIO_s_secmem());
    if (bytes == NULL) return 0;
    int count = 0;
    if (PEM_write_bio_PKCS8PrivateKey(bytes, key, NULL, NULL, 0, NULL, NULL) == 1
        && BIO_ctrl_pending(bytes) <= capacity)
        count = BIO_read(bytes, text, (int)capacity);
    BIO_free(bytes);
    return count > 0 ? (size_t)count : 0;
}

// An ECDSA signature from DER to R and S side by side, each of `half` bytes (RFC 7518 §3.4).
static inline int COpenSSL_ECDSA_fixed_length(
    const unsigned char *der, size_t count, unsigned char *output, size_t half) {
    if (count > 1024 || half > 66) return 0;
    ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &der, (long)count);
    if (signature == NULL) return 0;
    int made = BN_bn2binpad(ECDSA_SIG_get0_r(signature), output, (int)half) == (int)half
               && BN_bn2binpad(ECDSA_SIG_get0_s(signature), output + half, (int)half) == (int)half;
    ECDSA_SIG_free(signature);
    return made;
}

// The P-256 key of a private number of 32 bytes, and its public point of 65: 04, x, y.
static inline EVP_PKEY *COpenSSL_P256_private_key(const unsigned char *scalar, unsigned char *point) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    EC_GROUP *curve = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    EC_POINT *product = curve != NULL ? EC_POINT_new(curve) : NULL;
    BIGNUM *number = BN_secure_new();
    if (builder != NULL && context != NULL && product != NULL && number != NULL
        && BN_bin2bn(scalar, 32, number) != NULL) {
        BN_set_flags(number, BN_FLG_CONSTTIME);
        if (EC_POINT_mul(curve, product, number, NULL, NULL, NULL) == 1
            && EC_POINT_point2oct(curve, product, POINT_CONVERSION_UNCOMPRESSED, point, 65, NULL) == 65
            && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) == 1
            && OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, 65) == 1
            && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, number) == 1)
            parameters = OSSL_PARAM_BLD_to_param(builder);
    }
    if (parameters == NULL || EVP_PKEY_fromdata_init(context) != 1
        || EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, parameters) != 1) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    BN_clear_free(number);
    EC_POINT_free(product);
    EC_GROUP_free(curve);
    EVP_PKEY_CTX_free(context);
    return key;
}

// HMAC with SHA-256 (RFC 2104), begun with a key. The library's own looks algorithms up by name in each call, which takes
// ten times what the hash does.
typedef struct {
    SHA256_CTX inner;
    SHA256_CTX outer;
} COpenSSL_HMAC;
static inline void COpenSSL_HMAC_begin(COpenSSL_HMAC *code, const void *key, size_t count) {
    unsigned char block[SHA256_CBLOCK] = {0};
    if (count > sizeof block) COpenSSL_SHA256(key, count, block);
    else if (count > 0) memcpy(block, key, count);
    for (size_t index = 0; index < sizeof block; index++) block[index] ^= 0x36;
    SHA256_Init(&code->inner);
    SHA256_Update(&code->inner, block, sizeof block);
    // What is left is the key with the other pad.
    for (size_t index = 0; index < sizeof block; index++) block[index] ^= 0x36 ^ 0x5c;
    SHA256_Init(&code->outer);
    SHA256_Update(&code->outer, block, sizeof block);
    OPENSSL_cleanse(block, sizeof block);
}
// Writes 32 bytes, and wipes what the key has left.
static inline void COpenSSL_HMAC_end(COpenSSL_HMAC *code, unsigned char *output) {
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256_Final(digest, &code->inner);
    SHA256_Update(&code->outer, digest, sizeof digest);
    SHA256_Final(output, &code->outer);
    OPENSSL_cleanse(digest, sizeof digest);
    OPENSSL_cleanse(code, sizeof *code);
}
// The code of a message by a key that was begun with before, which stays as it is: two of the hash's blocks are not made again.
static inline void COpenSSL_HMAC_authenticate(
    const COpenSSL_HMAC *begun, const void *message, size_t count, void *output) {
    COpenSSL_HMAC code = *begun;
    SHA256_Update(&code.inner, message, count);
    COpenSSL_HMAC_end(&code, (unsigned char *)output);
}
static inline void COpenSSL_HMAC_SHA256(
    const void *key, size_t key_count, const void *message, size_t count, unsigned char *output) {
    COpenSSL_HMAC code;
    COpenSSL_HMAC_begin(&code, key, key_count);
    SHA256_Update(&code.inner, message, count);
    COpenSSL_HMAC_end(&code, output);
}

// HKDF with SHA-256 (RFC 5869): no more than 255 times 32 bytes.
static inline void COpenSSL_HKDF_SHA256(
    const unsigned char *secret, size_t secret_count, const unsigned char *salt, size_t salt_count,
    const unsigned char *info, size_t info_count, unsigned char *output, size_t count) {
    unsigned char key[SHA256_DIGEST_LENGTH], block[SHA256_DIGEST_LENGTH];
    COpenSSL_HMAC_SHA256(salt, salt_count, secret, secret_count, key);
    COpenSSL_HMAC begun, code;
    COpenSSL_HMAC_begin(&begun, key, sizeof key);
    size_t made = 0;
    for (unsigned char counter = 1; made < count; counter++) {
        code = begun;
        if (made > 0) SHA256_Update(&code.inner, block, sizeof block);
        SHA256_Update(&code.inner, info, info_count);
        SHA256_Update(&code.inner, &counter, 1);
        COpenSSL_HMAC_end(&code, block);
        size_t part = count - made < sizeof block ? count - made : sizeof block;
        memcpy(output + made, block, part);
        made += part;
    }
    OPENSSL_cleanse(&begun, sizeof begun);
    OPENSSL_cleanse(key, sizeof key);
    OPENSSL_cleanse(block, sizeof block);
}

// The one-step derivation of NIST SP 800-56C with SHA-256. The library copies the secret into the context, and wipes the
// copy when it frees it.
static inline int COpenSSL_derive(
    EVP_KDF *algorithm, const OSSL_PARAM *parameters, unsigned char *output, size_t count) {
    EVP_KDF_CTX *context = EVP_KDF_CTX_new(algorithm);
    int made = context != NULL && EVP_KDF_derive(context, output, count, parameters) == 1;
    EVP_KDF_CTX_free(context);
    return made;
}
static inline int COpenSSL_SSKDF_SHA256(
    EVP_KDF *algorithm, const unsigned char *secret, size_t secret_count, const unsigned char *info, size_t info_count,
    unsigned char *output, size_t count) {
    OSSL_PARAM parameters[4];
    parameters[0] = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256", 0);
    parameters[1] = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SECRET, (void *)secret, secret_count);
    parameters[2] = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_count);
    parameters[3] = OSSL_PARAM_construct_end();
    return COpenSSL_derive(algorithm, parameters, output, count);
}
