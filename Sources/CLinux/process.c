#define _GNU_SOURCE
#include "process.h"

#include "confine.h"
#include "process_control.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

/// No process has this number: process numbers end at 4,194,304.
enum { NOBODY = 0x7fffffff };

/// Once reserved, numbers below this are only for children's descriptors.
enum { OWN_NUMBERS = 48 };

/// The reserved numbers, which are /dev/null between two starts, and another descriptor of it.
static int kept[OWN_NUMBERS];
static int kept_count;
static int kept_null;

/// A report from child to parent: the stage that failed, or CLINUX_SPAWN_DONE for a limit that is
/// not in force.
struct report {
  int stage;
  int error;
};

/// The raw call: a sanitizer's _exit takes locks that another thread may have held at the fork.
_Noreturn static void leave(void) {
  for (;;) syscall(SYS_exit_group, 127);
}

static void tell(int reports, int stage, int error) {
  struct report report = {stage, error};
  ssize_t ignored = write(reports, &report, sizeof report);
  (void)ignored;
}

_Noreturn static void fail(int reports, int stage, int error) {
  tell(reports, stage, error);
  leave();
}

/// An identity map of one identifier in decimal. snprintf is not async-signal-safe.
static int identity_map(uint32_t identifier, char *text) {
  char digits[10];
  int count = 0, length = 0;
  do
    digits[count++] = (char)('0' + identifier % 10);
  while (identifier /= 10);
  for (int twice = 0; twice < 2; twice++) {
    for (int i = count; i-- > 0;) text[length++] = digits[i];
    text[length++] = ' ';
  }
  text[length++] = '1';
  text[length++] = '\n';
  return length;
}

static void write_file(const char *path, const char *text, int length) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  ssize_t ignored = write(file, text, (size_t)length);
  (void)ignored;
  close(file);
}

/// Maps the child's identifiers in its own user namespace. Failure is harmless: the maps only keep
/// the identifiers readable.
static void keep_user(uint32_t uid, uint32_t gid) {
  char map[40];
  write_file("/proc/self/uid_map", map, identity_map(uid, map));
  write_file("/proc/self/setgroups", "deny", 4);
  write_file("/proc/self/gid_map", map, identity_map(gid, map));
  // The user's limit is small, and watching of folders by other plugins needs it.
  write_file("/proc/sys/user/max_inotify_instances", "8", 1);
}

/// Gives /proc/self back to this process. After a change of user, or with a non-dumpable parent, it
/// belongs to root until the exec.
static void own_proc(void) { prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); }

/// Whether this machine allows no namespaces of a kind.
static int gives_none(const char *path) {
  char digit = '0';
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 1;
  ssize_t ignored = read(file, &digit, 1);
  (void)ignored;
  close(file);
  return digit == '0';
}

/// Whether a refusal of namespaces may be temporary, because there are too many processes or
/// namespaces now.
static int is_passing(int error, int namespaces) {
  if (error == EAGAIN || error == ENOMEM) return 1;
  if (error != ENOSPC && error != EUSERS) return 0;
  return !((namespaces & CLONE_NEWPID && gives_none("/proc/sys/user/max_pid_namespaces")) ||
           (namespaces & CLONE_NEWUSER && gives_none("/proc/sys/user/max_user_namespaces")));
}

/// Without privilege, other namespaces need a user namespace around them.
static int unshare_as_user(int more, uint32_t uid, uint32_t gid) {
  own_proc();
  if (unshare(CLONE_NEWUSER | more) < 0) return errno;
  keep_user(uid, gid);
  return 0;
}

/// Moves the descriptors to their numbers. First all are moved above every target, because a target
/// may be another one's source. The exec closes all others by their flag.
static int place_descriptors(const struct clinux_spawn_options *o, int *reports, int *ruleset) {
  int above = 3;
  for (int i = 0; i < o->descriptor_count; i++)
    if (o->descriptors[i].number >= above) above = o->descriptors[i].number + 1;
  int moved[16];
  if (o->descriptor_count > 16) return EINVAL;
  int fresh = fcntl(*reports, F_DUPFD_CLOEXEC, above);
  if (fresh < 0) return errno;
  *reports = fresh;
  if (*ruleset >= 0 && (*ruleset = fcntl(*ruleset, F_DUPFD_CLOEXEC, above)) < 0) return errno;
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return errno;
  int null_above = fcntl(null, F_DUPFD_CLOEXEC, above);
  if (null_above < 0) return errno;
  for (int i = 0; i < o->descriptor_count; i++) {
    moved[i] = fcntl(o->descriptors[i].source, F_DUPFD_CLOEXEC, above);
    if (moved[i] < 0) return errno;
  }
  if (syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC) < 0) {
    // Before Linux 5.11, or if a filter forbids close_range.
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return errno;
    for (int i = 3; i < (int)limit.rlim_max && i < 1048576; i++) fcntl(i, F_SETFD, FD_CLOEXEC);
  }
  for (int number = 0; number < 3; number++)
    if (dup2(null_above, number) < 0) return errno;
  for (int i = 0; i < o->descriptor_count; i++)
    if (dup2(moved[i], o->descriptors[i].number) < 0) return errno;
  return 0;
}

/// Facts about the parent and the fork, which the child cannot query from inside a namespace.
struct origin {
  pid_t parent;
  pid_t group;
  uint32_t uid, gid;
  /// The namespaces that the fork made: CLONE_NEWPID and CLONE_NEWUSER, or none.
  int namespaces;
};

/// Whether the parent ended before the death signal was set. Its end of the report pipe is closed
/// then.
static int is_orphan(int reports) {
  struct pollfd reader = {.fd = reports};
  return poll(&reader, 1, 0) > 0 && reader.revents & POLLERR;
}

_Noreturn static void become(const struct clinux_spawn_options *o, int reports, const struct origin *origin) {
  // Resets all signals, because ignored ones stay ignored over an exec. The raw call, with zeroes
  // for the default action: the C library's would skip its own two signals.
  static const char standard[64];
  for (int signal = 1; signal < 65; signal++) syscall(SYS_rt_sigaction, signal, standard, NULL, 8);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);

  int ruleset = o->ruleset;
  int error = place_descriptors(o, &reports, &ruleset);
  if (error) fail(reports, CLINUX_SPAWN_DESCRIPTORS, error);
  if (o->new_session && setsid() < 0) fail(reports, CLINUX_SPAWN_SESSION, errno);
  umask(077);

  // A second barrier if the kernel allows it; the first is the filter below.
  int has_namespace = o->isolate_network && unshare(CLONE_NEWNET) == 0;
  if (o->change_user) {
    // The raw calls: the C library's would also change threads that do not exist in this process.
    if (syscall(SYS_setgroups, 0, NULL) < 0 || syscall(SYS_setresgid, o->gid, o->gid, o->gid) < 0 ||
        syscall(SYS_setresuid, o->uid, o->uid, o->uid) < 0)
      fail(reports, CLINUX_SPAWN_USER, errno);
  }
  uint32_t uid = o->change_user ? o->uid : origin->uid, gid = o->change_user ? o->gid : origin->gid;
  if (o->niceness) clinux_stand_back(o->niceness);
  else clinux_take_usual_turns();
  int has_users = (origin->namespaces & CLONE_NEWUSER) != 0;
  if (has_users) {
    own_proc();
    keep_user(uid, gid);
  }
  if (o->isolate_network && !has_namespace && unshare_as_user(CLONE_NEWNET, uid, gid) == 0) has_users = 1;
  // A limit of processes counts per user namespace. Without one, it would count all of the user's
  // processes, the parent's too.
  if (o->processes) {
    if (!has_users) {
      error = unshare_as_user(0, uid, gid);
      if (is_passing(error, CLONE_NEWUSER)) fail(reports, CLINUX_SPAWN_NAMESPACES, error);
      has_users = error == 0;
    }
    struct rlimit limit = {o->processes, o->processes};
    if (!has_users) tell(reports, CLINUX_SPAWN_DONE, 0);
    if (has_users && setrlimit(RLIMIT_NPROC, &limit) < 0) fail(reports, CLINUX_SPAWN_LIMIT, errno);
  }
  // After the change of user, whose rights some limits would remove.
  for (int i = 0; i < o->limit_count; i++) {
    struct rlimit limit = {o->limits[i].value, o->limits[i].value};
    if (setrlimit(o->limits[i].resource, &limit) < 0) fail(reports, CLINUX_SPAWN_LIMIT, errno);
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) fail(reports, CLINUX_SPAWN_PRIVILEGES, errno);
  // Late, because a change of user clears it. The parent may have died before it took effect.
  if (o->parent_death_signal) {
    if (prctl(PR_SET_PDEATHSIG, o->parent_death_signal, 0, 0, 0) < 0) fail(reports, CLINUX_SPAWN_PARENT, errno);
    if (is_orphan(reports)) fail(reports, CLINUX_SPAWN_PARENT, ESRCH);
  }
  if (ruleset >= 0 && (error = clinux_restrict(ruleset))) fail(reports, CLINUX_SPAWN_CONFINE, error);
  // In its own namespace the child cannot name other processes.
  int is_enclosed = (origin->namespaces & CLONE_NEWPID) != 0;
  int is_scoped = is_enclosed || (ruleset >= 0 && clinux_scopes_signals());
  error = clinux_guard(is_enclosed ? NOBODY : origin->parent, is_enclosed ? NOBODY : origin->group, !o->isolate_network,
                       is_scoped);
  if (error) fail(reports, CLINUX_SPAWN_CONFINE, error);
  if (chdir(o->directory ? o->directory : "/") < 0) fail(reports, CLINUX_SPAWN_DIRECTORY, errno);
  // A program that was just written stays busy while any forked child has it open for writing
  // before its own exec.
  for (int attempt = 0; attempt < 50; attempt++) {
    execve(o->path, o->arguments, o->environment);
    if (errno != ETXTBSY) break;
    nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
  }
  fail(reports, CLINUX_SPAWN_EXEC, errno);
}

/// A fork that also returns a pidfd. The C library's fork has handlers that may wait for locks of
/// threads that do not exist in the child.
static pid_t fork_with_pidfd(int *pidfd, int flags) {
  struct clone_args arguments = {
      .flags = (uint64_t)(CLONE_PIDFD | flags), .pidfd = (uint64_t)(uintptr_t)pidfd, .exit_signal = SIGCHLD};
  long pid = syscall(SYS_clone3, &arguments, sizeof arguments);
  // Container filters often refuse clone3, whose arguments they cannot read.
  if (pid < 0 && (errno == ENOSYS || errno == EPERM))
    pid = syscall(SYS_clone, (unsigned long)(CLONE_PIDFD | SIGCHLD | flags), NULL, pidfd, NULL, NULL);
  return (pid_t)pid;
}

/// Forks with the wanted namespaces. Continues without them only if this machine never allows them.
static pid_t fork_apart(const struct clinux_spawn_options *o, int *pidfd, struct origin *origin, int flags) {
  if (o->isolate_processes) {
    // Without privilege this needs a user namespace, in which a change of user is impossible.
    origin->namespaces = origin->uid == 0 ? CLONE_NEWPID : CLONE_NEWPID | CLONE_NEWUSER;
    pid_t pid = fork_with_pidfd(pidfd, origin->namespaces | flags);
    int error = errno;
    int is_over = pid >= 0 || is_passing(error, origin->namespaces);
    errno = error;
    if (is_over) return pid;
    origin->namespaces = 0;
  }
  return fork_with_pidfd(pidfd, flags);
}

/// Reads the child's reports until its exec closes the pipe. One thread starts all children, so a
/// child stuck before its exec, on a hung disk, must not block it.
static void read_reports(int reports, int milliseconds, struct clinux_spawn_result *result) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  result->stage = CLINUX_SPAWN_DONE;
  for (;;) {
    clock_gettime(CLOCK_MONOTONIC, &now);
    long passed = (now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000;
    struct pollfd poll_reports = {.fd = reports, .events = POLLIN};
    int ready = passed >= milliseconds ? 0 : poll(&poll_reports, 1, milliseconds - (int)passed);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      result->stage = CLINUX_SPAWN_EXEC;
      result->error = ready == 0 ? ETIMEDOUT : errno;
      return;
    }
    struct report report;
    ssize_t count = read(reports, &report, sizeof report);
    if (count < 0 && errno == EINTR) continue;
    if (count != sizeof report) return;
    if (report.stage == CLINUX_SPAWN_DONE) {
      result->is_uncounted = 1;
      continue;
    }
    result->stage = report.stage;
    result->error = report.error ? report.error : ECHILD;
  }
}

/// Makes the kernel end the child before its parent when memory runs out. Only possible after the
/// exec. Until then the child is as non-dumpable as its parent and its /proc files are root's, even
/// a moment after its descriptors are closed.
static void let_end_first(pid_t pid) {
  char path[40];
  snprintf(path, sizeof path, "/proc/%d/oom_score_adj", (int)pid);
  for (int attempt = 0; attempt < 100; attempt++) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file >= 0) {
      ssize_t ignored = write(file, "1000", 4);
      (void)ignored;
      close(file);
    }
    if (file >= 0 || errno != EACCES) return;
    nanosleep(&(struct timespec){.tv_nsec = 100 * 1000}, NULL);
  }
}

int clinux_keep_spawn_numbers(void) {
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return -errno;
  // All free numbers below OWN_NUMBERS, so that later descriptors get higher ones.
  kept_null = fcntl(null, F_DUPFD_CLOEXEC, OWN_NUMBERS);
  for (int number = 3; number < OWN_NUMBERS; number++)
    if (number == null || (fcntl(number, F_GETFD) < 0 && dup3(null, number, O_CLOEXEC) == number))
      kept[kept_count++] = number;
  return kept_null < 0 || kept_count == 0 ? -EMFILE : 0;
}

/// Duplicates the child's descriptors to reserved numbers. False if there are too few.
static int take_numbers(struct clinux_spawn_options *o, struct clinux_spawn_descriptor *given, int *reports) {
  if (o->descriptor_count > 16 || o->descriptor_count + 2 > kept_count) return 0;
  int next = 0;
  for (int i = 0; i < o->descriptor_count; i++) {
    given[i] = (struct clinux_spawn_descriptor){kept[next++], o->descriptors[i].number};
    if (dup3(o->descriptors[i].source, given[i].source, O_CLOEXEC) < 0) return 0;
  }
  o->descriptors = given;
  if (o->ruleset >= 0) {
    if (dup3(o->ruleset, kept[next], O_CLOEXEC) < 0) return 0;
    o->ruleset = kept[next++];
  }
  if (dup3(*reports, kept[next], O_CLOEXEC) < 0) return 0;
  *reports = kept[next];
  return 1;
}

static void give_numbers_back(void) {
  for (int i = 0; i < kept_count; i++) dup3(kept_null, kept[i], O_CLOEXEC);
}

/// Gives the child, which shares the parent's table until then, its own table with only the lowest
/// numbers. This closes nothing.
static void part_tables(int reports) {
  int error = syscall(SYS_close_range, (unsigned)OWN_NUMBERS, ~0u, CLOSE_RANGE_UNSHARE) < 0 ? errno : 0;
  tell(reports, CLINUX_SPAWN_DONE, error);
  if (error) leave();
}

/// Waits until the child has its own table. Returns 0, the error number if it gets none, or
/// ETIMEDOUT.
static int await_parting(int reports, int milliseconds) {
  struct pollfd poll_reports = {.fd = reports, .events = POLLIN};
  int ready;
  do ready = poll(&poll_reports, 1, milliseconds);
  while (ready < 0 && errno == EINTR);
  if (ready <= 0) return ETIMEDOUT;
  struct report report;
  return read(reports, &report, sizeof report) == sizeof report ? report.error : ECHILD;
}

/// Kills a child and waits for its end for at most `milliseconds`.
static void end_child(pid_t pid, int pidfd, int milliseconds) {
  syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
  struct pollfd ended = {.fd = pidfd, .events = POLLIN};
  int status;
  if (poll(&ended, 1, milliseconds) > 0)
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  close(pidfd);
}

int clinux_spawn(const struct clinux_spawn_options *options, struct clinux_spawn_result *result) {
  *result = (struct clinux_spawn_result){.pid = -1, .pidfd = -1, .stage = CLINUX_SPAWN_FORK};
  int reports[2];
  if (pipe2(reports, O_CLOEXEC) < 0) return -errno;

  // No signal handler of this program may run in the child.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  struct origin origin = {.parent = getpid(), .group = getpgid(0), .uid = geteuid(), .gid = getegid()};
  struct clinux_spawn_options copy = *options;
  const struct clinux_spawn_options *o = &copy;
  struct clinux_spawn_descriptor given[16];
  int writer = reports[1];
  int is_parted = kept_count > 0 && take_numbers(&copy, given, &writer);
  if (!is_parted) {
    copy = *options;
    writer = reports[1];
  }
  int pidfd = -1;
  pid_t pid = fork_apart(o, &pidfd, &origin, is_parted ? CLONE_FILES : 0);
  if (pid == 0) {
    if (is_parted) part_tables(writer);
    close(reports[0]);
    become(o, writer, &origin);
  }
  int error = errno;
  result->is_unenclosed = origin.namespaces == 0;
  if (is_parted) {
    int parting = pid < 0 ? 0 : await_parting(reports[0], o->start_milliseconds);
    // Until here the child used the shared table, so the numbers stay reserved.
    if (parting) end_child(pid, pidfd, -1);
    give_numbers_back();
    if (parting) {
      pthread_sigmask(SIG_SETMASK, &before, NULL);
      close(reports[0]);
      close(reports[1]);
      result->error = parting;
      if (parting == ETIMEDOUT) return -parting;
      // Before Linux 5.9, or if a filter forbids it: start the usual way.
      kept_count = 0;
      return clinux_spawn(options, result);
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(reports[1]);
  if (pid < 0) {
    close(reports[0]);
    if (origin.namespaces) result->stage = CLINUX_SPAWN_NAMESPACES;
    result->error = error;
    return -error;
  }

  read_reports(reports[0], o->start_milliseconds, result);
  close(reports[0]);
  if (result->stage == CLINUX_SPAWN_DONE) {
    result->pid = pid;
    result->pidfd = pidfd;
    if (o->first_to_end) let_end_first(pid);
    return 0;
  }
  // A child that hangs on a dead disk cannot be killed. It is abandoned and stays a zombie.
  end_child(pid, pidfd, 1000);
  return -result->error;
}

int clinux_adopt_orphans(void) {
  return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ? -errno : 0;
}

int clinux_wait(int pidfd, int reap, struct clinux_exit *ended) {
  siginfo_t info = {0};
  int result;
  do
    result = waitid((idtype_t)P_PIDFD, (id_t)pidfd, &info, WEXITED | WNOHANG | (reap ? 0 : WNOWAIT));
  while (result < 0 && errno == EINTR);
  if (result < 0) return -errno;
  if (info.si_pid == 0) return 0;
  ended->code = info.si_code;
  ended->status = info.si_status;
  return 1;
}

int clinux_output_pipe(int *reader, int *writer) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
  if (fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0) {
    int error = errno;
    close(ends[0]);
    close(ends[1]);
    return -error;
  }
  *reader = ends[0];
  *writer = ends[1];
  return 0;
}

void clinux_return_memory(void) { malloc_trim(0); }

// glibc would otherwise raise the threshold to the size freed last, and keep up to twice that.
void clinux_keep_no_large_memory(void) { mallopt(M_MMAP_THRESHOLD, 256 << 10); }
