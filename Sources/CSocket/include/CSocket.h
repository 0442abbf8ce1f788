/* Linux calls that the Glibc module leaves out, by numbers alone.
 *
 * No header of the system is included here, and none may be: each type and constant of one would be this module's in some of
 * the compiler's processes and Glibc's in others, as they happen to read files, and files that import Glibc alone would no
 * longer build. */
#ifndef PORTCULLIS_SOCKET_H
#define PORTCULLIS_SOCKET_H

#include <stdint.h>

/* No core file, no ptrace and no /proc/PID/mem or environ for whoever is not root. 0, or -1. */
int portcullis_forbid_dumps(void);

/* This thread, and all that it starts from now on, can run no file and look into no process outside: by the first of the two
 * below that the kernel has. 0, or -1. */
int portcullis_forbid_programs(void);

/* By Landlock. It is asked when a file is run or opened alone, so that it costs the other calls nothing. */
int portcullis_landlock_programs(void);

/* The same, and more, by a filter of system calls, where the kernel has no Landlock or the engine's profile does not let it
 * through. It adds 40 ns to every call. */
int portcullis_filter_programs(void);

/* A connection that waits, neither blocking nor inherited, and the `struct sockaddr` of its peer; -1 with errno. */
int portcullis_accept(int listener, void *address, uint32_t *length);

/* Drops what begins a connection and nothing else. 0, or -1 with errno. */
int portcullis_refuse_connections(int listener);

/* The ends to read and to write of a pipe that neither blocks nor is inherited. 0, or -1 with errno. */
int portcullis_pipe(int ends[2]);

/* What the kernel made of a pipe's capacity in bytes, or -1. */
int portcullis_pipe_capacity(int pipe, int capacity);

/* Bytes that the kernel moved between a pipe and a socket without a copy; -1 with errno. */
long portcullis_splice(int from, int to, long count);

/* Gives memory that was freed back to the system, of all threads. */
void portcullis_give_memory_back(void);

#endif
