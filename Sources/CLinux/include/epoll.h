// epoll. Swift's Glibc module does not include <sys/epoll.h>.
#ifndef CLINUX_EPOLL_H
#define CLINUX_EPOLL_H
#include <stdint.h>
#include <sys/epoll.h>

// A new epoll descriptor, close-on-exec, or -errno.
int clinux_epoll_create(void);

// Adds, changes or removes (EPOLL_CTL_*) the interest in `fd`; its events carry `token`. 0 or
// -errno.
int clinux_epoll_control(int epoll, int operation, int fd, uint32_t events, uint64_t token);

// Waits for events, at most `timeout_ms` (-1: without limit). Returns the number of filled
// `events`, or -errno.
int clinux_epoll_wait(int epoll, struct epoll_event *events, int capacity, int timeout_ms);

// The token of one event. Swift handles neither the packed structure nor its union well.
static inline uint64_t clinux_epoll_token(const struct epoll_event *event) { return event->data.u64; }
#endif
