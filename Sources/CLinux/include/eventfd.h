// eventfd. Swift's Glibc module does not include <sys/eventfd.h>.
#ifndef CLINUX_EVENTFD_H
#define CLINUX_EVENTFD_H

// A new counter, nonblocking and close-on-exec, or -errno.
int clinux_eventfd(void);

// Adds one to the counter: whoever polls it wakes. 0 or -errno; a full counter is not an error (its reader is awake).
int clinux_eventfd_signal(int fd);

// Sets the counter back to zero. 0 or -errno; an empty counter is not an error.
int clinux_eventfd_clear(int fd);
#endif
