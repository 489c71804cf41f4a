// Signals as events. Swift's Glibc module does not include <sys/signalfd.h>.
#ifndef CLINUX_SIGNALS_H
#define CLINUX_SIGNALS_H
#include <stddef.h>

// Blocks the signals in the calling thread and in threads that it starts later. 0 or -errno.
int clinux_block_signals(const int *signals, size_t count);

// A descriptor that is readable when one of the blocked signals is pending, nonblocking and
// close-on-exec, or -errno.
int clinux_signalfd(const int *signals, size_t count);

// Takes the next pending signal: its number, 0 if there is none, or -errno.
int clinux_signalfd_next(int fd);
#endif
