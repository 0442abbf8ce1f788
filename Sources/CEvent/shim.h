#pragma once
// event-config.h defines _GNU_SOURCE, which renames fd_set's member: take the system's own view of fd_set first.
#include <sys/types.h>
#include <sys/select.h>
#include <sys/time.h>
#include <event2/event.h>
#include <event2/event_struct.h>
#include <sys/eventfd.h>

static inline int portcullis_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
