// Mints very many access tokens signed by ES256, a line each: what is seconds here is minutes in Python.
//
//   token_mint ISSUER_KEY.pem KID CLAIMS COUNT
//
// CLAIMS is the claims of every token as JSON, without its closing brace and without sub and jti: those are each token's own.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "es256.h"
#include "wire.h"

int main(int count, char **arguments) {
    if (count != 5) fail("token_mint ISSUER_KEY.pem KID CLAIMS COUNT");
    struct signer issuer = signer_in(arguments[1]);
    char run[RUN_BYTES], text[TEXT_BYTES], token[2 * TEXT_BYTES];
    name_run(run);
    long tokens = atol(arguments[4]);
    for (long number = 1; number <= tokens; number++) {
        int length = snprintf(
            text, sizeof text, "{\"typ\":\"at+jwt\",\"alg\":\"ES256\",\"kid\":\"%s\"}", arguments[2]);
        char *end = encode(token, (unsigned char *)text, (size_t)length);
        length = snprintf(
            text, sizeof text, "%s,\"sub\":\"user-%07ld\",\"jti\":\"%s%08lx\"}", arguments[3], number, run, number);
        if (length >= TEXT_BYTES / 2) fail("the claims are too long");
        *end++ = '.';
        end = encode(end, (unsigned char *)text, (size_t)length);
        sign(&issuer, token, end);
        puts(token);
    }
    forget(&issuer);
    return fflush(stdout) ? 1 : 0;
}
