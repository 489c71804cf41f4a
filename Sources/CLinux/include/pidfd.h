// Process descriptors. Older C libraries lack the wrappers, and Swift cannot call the variadic
// syscall().
#ifndef CLINUX_PIDFD_H
#define CLINUX_PIDFD_H
#include <stdint.h>
#include <sys/types.h>

// A descriptor of the process with this number, close-on-exec, or -errno.
int clinux_pidfd_open(pid_t pid);

// Sends a signal to exactly this process; signal 0 only checks. 0 or -errno (-ESRCH: it has ended).
int clinux_pidfd_send_signal(int pidfd, int signal);

// A number unique among all processes since the machine started, in all namespaces (kernel 6.9); 0
// if the kernel has none.
uint64_t clinux_pidfd_identity(int pidfd);
#endif
