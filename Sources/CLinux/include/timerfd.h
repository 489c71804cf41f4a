// timerfd. Swift's Glibc module does not include <sys/timerfd.h>.
#ifndef CLINUX_TIMERFD_H
#define CLINUX_TIMERFD_H
#include <stdint.h>

// A new timer on the monotonic clock, nonblocking and close-on-exec, or -errno.
int clinux_timerfd(void);

// Makes the timer readable at a moment in nanoseconds of the monotonic clock, or at once if it has
// passed. Replaces the earlier moment. 0 or -errno.
int clinux_timerfd_set(int fd, uint64_t nanoseconds);
#endif
