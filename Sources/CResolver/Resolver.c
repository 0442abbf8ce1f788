#include "CResolver.h"

#include <netinet/in.h>
#include <arpa/nameser.h>
#include <netdb.h>
#include <resolv.h>

int portcullis_ask_servers(const uint32_t *addresses, const uint16_t *ports, int count) {
    if (res_init() != 0) return -1;
    struct __res_state *state = __res_state();
    for (int place = 0; place < count && place < MAXNS; place++) {
        state->nsaddr_list[place] =
            (struct sockaddr_in){.sin_family = AF_INET, .sin_port = ports[place], .sin_addr = {addresses[place]}};
        state->nscount = place + 1;
    }
    return 0;
}

int portcullis_ask_name(const char *name, int type, unsigned char *answer, int capacity) {
    const int length = res_search(name, ns_c_in, type, answer, capacity);
    return length < 0 && h_errno == TRY_AGAIN ? -2 : length;
}
