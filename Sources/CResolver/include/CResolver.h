/* The resolver of the C library, by numbers alone: its own headers make types of the network part of whatever module has them. */
#ifndef PORTCULLIS_RESOLVER_H
#define PORTCULLIS_RESOLVER_H

#include <stdint.h>

/* What this thread's resolver asks: the servers at these IPv4 addresses and ports, in the order of the network, or with none
 * those of resolv.conf. getaddrinfo asks the same. 0, or -1 where there is no resolver. */
int portcullis_ask_servers(const uint32_t *addresses, const uint16_t *ports, int count);

/* An answer of the Internet's class, by the search list where the name is short; its length, -1 where there is none, or -2
 * where no server has answered. */
int portcullis_ask_name(const char *name, int type, unsigned char *answer, int capacity);

#endif
