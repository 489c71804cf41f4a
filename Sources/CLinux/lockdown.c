#define _GNU_SOURCE
#include "lockdown.h"
#include "filter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define REFUSE RETURN(SECCOMP_RET_ERRNO | EPERM)
#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), RETURN(SECCOMP_RET_ALLOW)
/// Allows the call if the lower half of an argument has none of these bits.
#define ALLOW_WITHOUT(name, argument, bits)                                                  \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4), LOAD(args[argument]),               \
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1), REFUSE, RETURN(SECCOMP_RET_ALLOW)
/// Allows the call if the lower half of an argument has one of these bits.
#define ALLOW_WITH(name, argument, bits)                                                     \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4), LOAD(args[argument]),               \
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0), REFUSE, RETURN(SECCOMP_RET_ALLOW)
/// Allows the call if the lower half of an argument has this value.
#define ALLOW_ONLY(name, argument, value)                                                    \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4), LOAD(args[argument]),               \
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0), REFUSE, RETURN(SECCOMP_RET_ALLOW)

int clinux_lock_down(void) {
  struct sock_filter program[] = {
      OWN_CALL_OR(SECCOMP_RET_KILL_PROCESS),
#if defined(__x86_64__)
      ALLOW(poll),
#endif
      ALLOW(ppoll),
      ALLOW(pread64),
      ALLOW(recvmsg),
      ALLOW(sendmsg),
      ALLOW(recvfrom),
      ALLOW(sendto),
      // The message of an error. An input that is open for writing stays as it is.
      ALLOW_ONLY(write, 0, STDERR_FILENO),
      ALLOW(shutdown),
      ALLOW(close),
      ALLOW(fstat),
      // The C library's form of fstat, with an empty path.
      ALLOW_WITH(newfstatat, 3, AT_EMPTY_PATH),
      ALLOW_WITHOUT(mmap, 2, PROT_EXEC),
      ALLOW_WITHOUT(mprotect, 2, PROT_EXEC),
      ALLOW(munmap),
      ALLOW(mremap),
      ALLOW(madvise),
      ALLOW(brk),
      ALLOW(futex),
      ALLOW(gettid),
      ALLOW(getrandom),
      ALLOW(getrusage),
      ALLOW(clock_gettime),
      ALLOW(rt_sigaction),
      ALLOW(rt_sigprocmask),
      ALLOW(rt_sigreturn),
      ALLOW(restart_syscall),
      ALLOW(exit),
      ALLOW(exit_group),
      REFUSE,
  };
  struct sock_fprog filter = {.len = sizeof program / sizeof *program, .filter = program};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0L, 0L) < 0 ? -errno : 0;
}

int clinux_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) < 0 ? -errno : 0; }
