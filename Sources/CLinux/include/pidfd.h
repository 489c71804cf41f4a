// Process descriptors. Older C libraries lack the wrappers, and Swift cannot call the variadic syscall().
#ifndef CLINUX_PIDFD_H
#define CLINUX_PIDFD_H
#include <stdint.h>
#include <sys/types.h>

// A descriptor of the process that bears this number now, close-on-exec, or -errno.
int clinux_pidfd_open(pid_t pid);

// Sends a signal to exactly that process; signal 0 only asks. 0 or -errno (-ESRCH: it is gone).
int clinux_pidfd_send_signal(int pidfd, int signal);

// What tells the process from every other one that has lived since the machine started, wherever it lives (kernel 6.9).
// 0: the kernel does not say.
uint64_t clinux_pidfd_identity(int pidfd);
#endif
