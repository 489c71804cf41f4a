#define _GNU_SOURCE
#include "confine.h"
#include "filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <linux/fsverity.h>
#include <linux/landlock.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  NEW_NAMESPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
  CLONE_NEWNET
};

// Newer than Debian 12's header; the numbers are the same on all architectures.
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_setxattrat
#define SYS_setxattrat 463
#endif
#ifndef SYS_removexattrat
#define SYS_removexattrat 466
#endif
#ifndef SYS_file_setattr
#define SYS_file_setattr 469
#endif

/// Landlock's file system rights by ABI version: 13, then REFER, TRUNCATE, and IOCTL_DEV with
/// version 5. Debian 12's header has only the first.
static uint64_t file_rights(long version) {
  int count = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
  return (1ull << count) - 1;
}

static long landlock_version(void) {
  return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

int clinux_ruleset(void) {
  long version = landlock_version();
  if (version < 0) return -errno;
  // From version 6 on: signals and abstract sockets to processes outside.
  struct { uint64_t files, network, scope; } rules = {file_rights(version), 0, version >= 6 ? 3 : 0};
  size_t size = version >= 6 ? 24 : 8;
  long ruleset = syscall(SYS_landlock_create_ruleset, &rules, size, 0);
  return ruleset < 0 ? -errno : (int)ruleset;
}

int clinux_scopes_signals(void) { return landlock_version() >= 6; }

int clinux_ruleset_allow(int ruleset, int place, enum clinux_reach reach) {
  struct stat facts;
  if (fstat(place, &facts) < 0) return -errno;
  uint64_t rights = file_rights(landlock_version());
  if (reach == CLINUX_REACH_READ)
    rights &= LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
  if (reach == CLINUX_REACH_LIST) rights &= LANDLOCK_ACCESS_FS_READ_DIR;
  // A file takes only file rights: execute, write, read, truncate (1 << 14), and device control (1
  // << 15).
  if (!S_ISDIR(facts.st_mode))
    rights &= LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE | 1ull << 14 |
              1ull << 15;
  struct landlock_path_beneath_attr rule = {.allowed_access = rights, .parent_fd = place};
  return syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0 ? -errno : 0;
}

int clinux_open_place(const char *path) {
  int place = open(path, O_PATH | O_CLOEXEC);
  return place < 0 ? -errno : place;
}

int clinux_open_entry(int folder, const char *name) {
  struct open_how how = {.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC, .resolve = RESOLVE_NO_XDEV};
  long place = syscall(SYS_openat2, folder, name, &how, sizeof how);
  return place < 0 ? -errno : (int)place;
}

int clinux_restrict(int ruleset) { return syscall(SYS_landlock_restrict_self, ruleset, 0) < 0 ? errno : 0; }

#define REFUSE(error) RETURN(SECCOMP_RET_ERRNO | (error))
#define ALLOW RETURN(SECCOMP_RET_ALLOW)
/// The next `count` instructions apply to this call only.
#define CALL(name, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, count)
/// The next instruction applies if the loaded argument equals `value`. Arguments are compared by
/// their lower 32 bits.
#define IS(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), 0, 1)
#define REFUSED(name, error) CALL(name, 1), REFUSE(error)
/// Allows the call only with 0, the caller, as the first argument (a process or thread).
#define ONLY_ITSELF(name) \
  CALL(name, 4), LOAD(args[0]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0), REFUSE(EPERM), ALLOW
/// The same for calls whose first argument tells the kind of the second: process, group or user.
#define ONLY_ITSELF_AS(name, process) \
  CALL(name, 6), LOAD(args[0]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, process, 0, 2), LOAD(args[1]), \
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0), REFUSE(EPERM), ALLOW
#define REFUSED_TO_PARENT(name) CALL(name, 4), LOAD(args[0]), IS(parent), REFUSE(EPERM), ALLOW

int clinux_guard(pid_t parent, pid_t group, int has_network, int is_scoped) {
  pid_t own = getpid();
  struct sock_filter program[] = {
      OWN_CALL_OR(SECCOMP_RET_ERRNO | EPERM),
      // socketpair stays possible, as it reaches nobody. JGE 0 matches every family.
      CALL(socket, 4),
      LOAD(args[0]),
      BPF_JUMP(BPF_JMP | (has_network ? BPF_JEQ : BPF_JGE) | BPF_K, has_network ? AF_UNIX : 0, 0, 1),
      REFUSE(EACCES),
      ALLOW,
      // Stream and seqpacket pairs only: either end of a datagram pair could be reconnected to
      // another process, and raw pairs are datagram pairs.
      CALL(socketpair, 6),
      LOAD(args[1]),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xf),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SOCK_STREAM, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SOCK_SEQPACKET, 1, 0),
      REFUSE(EACCES),
      ALLOW,
      // io_uring makes sockets unseen by this filter.
      REFUSED(io_uring_setup, ENOSYS),
      // Signals to the parent, to its group and to all of the user's processes (-1) are refused. The
      // kernel takes the number of any of the parent's threads for the parent. Landlock's signal scope
      // covers these numbers. Without it (not `is_scoped`) only this process and groups are allowed,
      // because no thread's number names a group.
      CALL(kill, 14),
      LOAD(args[0]),
      IS(parent),
      REFUSE(EPERM),
      IS(-1),
      REFUSE(EPERM),
      IS(-group),
      REFUSE(EPERM),
      IS(own),
      ALLOW,
      IS(0),
      ALLOW,
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x80000000, 0, 1),
      ALLOW,
      BPF_STMT(BPF_RET | BPF_K, is_scoped ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | EPERM),
      REFUSED_TO_PARENT(tgkill),
      REFUSED_TO_PARENT(pidfd_open),
      REFUSED(tkill, EPERM),
      REFUSED(rt_sigqueueinfo, EPERM),
      REFUSED(rt_tgsigqueueinfo, EPERM),
      REFUSED(pidfd_send_signal, EPERM),
      REFUSED(ptrace, EPERM),
      REFUSED(process_vm_readv, EPERM),
      REFUSED(process_vm_writev, EPERM),
      ONLY_ITSELF(prlimit64),
      // The share of processors and disks.
      ONLY_ITSELF(sched_setaffinity),
      ONLY_ITSELF(sched_setscheduler),
      ONLY_ITSELF(sched_setparam),
      ONLY_ITSELF(sched_setattr),
      ONLY_ITSELF_AS(setpriority, PRIO_PROCESS),
      ONLY_ITSELF_AS(ioprio_set, 1),
      // F_SETOWN makes the kernel send signals in the process's name. A lease delays every process
      // that opens the file.
      CALL(fcntl, 10),
      LOAD(args[1]),
      IS(F_SETOWN),
      REFUSE(EPERM),
      IS(F_SETOWN_EX),
      REFUSE(EPERM),
      IS(F_SETSIG),
      REFUSE(EPERM),
      IS(F_SETLEASE),
      REFUSE(EPERM),
      ALLOW,
      // The second half: flags of files that need no write access; one of them makes a file
      // immutable.
      CALL(ioctl, 16),
      LOAD(args[1]),
      IS(FIOSETOWN),
      REFUSE(EPERM),
      IS(SIOCSPGRP),
      REFUSE(EPERM),
      IS(FS_IOC_SETFLAGS),
      REFUSE(EPERM),
      IS(FS_IOC_FSSETXATTR),
      REFUSE(EPERM),
      IS(FS_IOC_SETVERSION),
      REFUSE(EPERM),
      IS(FS_IOC_SET_ENCRYPTION_POLICY),
      REFUSE(EPERM),
      IS(FS_IOC_ENABLE_VERITY),
      REFUSE(EPERM),
      ALLOW,
      // Namespaces and System V objects hold kernel memory that counts for nobody. The latter also
      // outlive the process.
      REFUSED(unshare, EPERM),
      REFUSED(setns, EPERM),
      CALL(clone, 4),
      LOAD(args[0]),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NEW_NAMESPACES, 0, 1),
      REFUSE(EPERM),
      ALLOW,
      // A filter cannot see clone3's flags, which are in memory. The C library falls back to clone.
      REFUSED(clone3, ENOSYS),
      REFUSED(shmget, EPERM),
      REFUSED(semget, EPERM),
      REFUSED(msgget, EPERM),
      REFUSED(mq_open, EPERM),
      // Landlock does not restrict these. They could open a hidden folder to everybody, or make a
      // readable file, such as the plugin's own, writable for others.
#ifdef SYS_chmod
      REFUSED(chmod, EPERM),
      REFUSED(chown, EPERM),
      REFUSED(lchown, EPERM),
#endif
      REFUSED(fchmod, EPERM),
      REFUSED(fchown, EPERM),
      REFUSED(fsetxattr, EPERM),
      REFUSED(fremovexattr, EPERM),
      REFUSED(fchmodat, EPERM),
      REFUSED(fchmodat2, EPERM),
      REFUSED(fchownat, EPERM),
      REFUSED(setxattr, EPERM),
      REFUSED(lsetxattr, EPERM),
      REFUSED(setxattrat, EPERM),
      REFUSED(removexattr, EPERM),
      REFUSED(lremovexattr, EPERM),
      REFUSED(removexattrat, EPERM),
      REFUSED(file_setattr, EPERM),
      // The times of any file of the same user, even one open for reading only.
#ifdef SYS_utime
      REFUSED(utime, EPERM),
      REFUSED(utimes, EPERM),
      REFUSED(futimesat, EPERM),
#endif
      REFUSED(utimensat, EPERM),
      // Landlock restricts truncation only from version 3 on.
      REFUSED(truncate, EPERM),
      ALLOW,
  };
  struct sock_fprog filter = {.len = sizeof program / sizeof *program, .filter = program};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) < 0 ? errno : 0;
}
