// Process descriptors. Older C libraries lack the wrappers, and Swift cannot call the variadic syscall().
#ifndef CLINUX_PIDFD_H
#define CLINUX_PIDFD_H
#include <sys/types.h>

// A descriptor of the process that bears this number now, close-on-exec, or -errno.
int clinux_pidfd_open(pid_t pid);

// Sends a signal to exactly that process; signal 0 only asks. 0 or -errno (-ESRCH: it is gone).
int clinux_pidfd_send_signal(int pidfd, int signal);
#endif
