// epoll. Swift's Glibc module does not include <sys/epoll.h>.
#ifndef CLINUX_EPOLL_H
#define CLINUX_EPOLL_H
#include <stdint.h>
#include <sys/epoll.h>

// A new epoll descriptor, close-on-exec, or -errno.
int clinux_epoll_create(void);

// Adds, changes or removes (EPOLL_CTL_*) the interest in `fd`; `token` comes back with its events. 0 or -errno.
int clinux_epoll_control(int epoll, int operation, int fd, uint32_t events, uint64_t token);

// Waits until something is ready, at most `timeout_ms` (-1: for ever). How many of `events` were filled, or -errno.
int clinux_epoll_wait(int epoll, struct epoll_event *events, int capacity, int timeout_ms);

// The token of one event. The structure is packed and its data is a union: both are awkward from Swift.
static inline uint64_t clinux_epoll_token(const struct epoll_event *event) { return event->data.u64; }
#endif
