// Mints DPoP-bound access tokens and fresh ES256 proofs (RFC 9449), a line "TOKEN PROOF" each.
//
//   proof_mint ISSUER_KEY.pem KID CLAIMS METHOD TARGET KEYS COUNT
//
// CLAIMS is the claims of every token as JSON, without its closing brace: the confirmation of the key is added. Line N
// is of key N modulo KEYS. Proofs live for a minute, so they are made right before they are used, and quickly: that is
// why this is not Python.
#include <stdio.h>
#include <stdlib.h>

#include "es256.h"
#include "wire.h"

int main(int count, char **arguments) {
    if (count != 8) fail("proof_mint ISSUER_KEY.pem KID CLAIMS METHOD TARGET KEYS COUNT");
    struct signer issuer = signer_in(arguments[1]);
    long keys = atol(arguments[6]), lines = atol(arguments[7]);
    if (keys < 1 || lines < 1) fail("KEYS and COUNT begin at 1");
    struct client **clients = calloc((size_t)keys, sizeof *clients);
    char run[RUN_BYTES], proof[2 * TEXT_BYTES];
    if (!clients) fail("no memory");
    name_run(run);
    for (long line = 0; line < lines; line++) {
        struct client **client = &clients[line % keys];
        if (!*client) *client = new_client(&issuer, arguments[2], arguments[3]);
        write_proof(*client, arguments[4], arguments[5], run, line, proof);
        printf("%s %s\n", (*client)->token, proof);
        if (line + keys >= lines) {  // its last one
            forget(&(*client)->signer);
            free(*client);
        }
    }
    free(clients);
    forget(&issuer);
    return fflush(stdout) ? 1 : 0;
}
