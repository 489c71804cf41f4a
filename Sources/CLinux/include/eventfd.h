// eventfd. Swift's Glibc module does not include <sys/eventfd.h>.
#ifndef CLINUX_EVENTFD_H
#define CLINUX_EVENTFD_H

// A new counter, nonblocking and close-on-exec, or -errno.
int clinux_eventfd(void);

// Adds one to the counter, which wakes its poller. 0 or -errno; a full counter is no error, because
// its reader is awake.
int clinux_eventfd_signal(int fd);

// Sets the counter to zero. 0 or -errno; a zero counter is no error.
int clinux_eventfd_clear(int fd);
#endif
