#define _GNU_SOURCE
#include "pidfd.h"
#include <errno.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

int clinux_pidfd_open(pid_t pid) {
  long fd = syscall(SYS_pidfd_open, pid, 0);
  return fd < 0 ? -errno : (int)fd;
}

int clinux_pidfd_send_signal(int pidfd, int signal) {
  return syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0) < 0 ? -errno : 0;
}

uint64_t clinux_pidfd_identity(int pidfd) {
  enum { pidfs = 0x50494446 };
  struct statfs system;
  struct stat facts;
  // Before pidfs all process descriptors shared one inode.
  if (fstatfs(pidfd, &system) < 0 || system.f_type != pidfs || fstat(pidfd, &facts) < 0) return 0;
  return facts.st_ino;
}
