// Signals as events. Swift's Glibc module does not include <sys/signalfd.h>.
#ifndef CLINUX_SIGNALS_H
#define CLINUX_SIGNALS_H
#include <stddef.h>

// Blocks the signals in the calling thread and in every thread that it starts from now on. 0 or -errno.
int clinux_block_signals(const int *signals, size_t count);

// Unblocks them in the calling thread: a child does this before it executes a program. 0 or -errno.
int clinux_unblock_signals(const int *signals, size_t count);

// A descriptor that is readable when one of the blocked signals is pending, nonblocking and close-on-exec, or -errno.
int clinux_signalfd(const int *signals, size_t count);

// The number of the next pending signal; 0 when none is; -errno on failure.
int clinux_signalfd_next(int fd);
#endif
