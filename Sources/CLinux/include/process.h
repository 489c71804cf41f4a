#ifndef CLINUX_PROCESS_H
#define CLINUX_PROCESS_H
// Starting and ending of child processes. Only async-signal-safe calls may run between fork and
// exec, which Swift code never is, so all of this is C. Results are as in delivery.h: non-negative,
// or the negated error number.

#include <stdint.h>
#include <sys/types.h>

/// The stage at which a start failed; 0 is success.
enum clinux_spawn_stage {
  CLINUX_SPAWN_DONE = 0,
  CLINUX_SPAWN_FORK = 1,
  CLINUX_SPAWN_DESCRIPTORS = 2,
  CLINUX_SPAWN_SESSION = 3,
  CLINUX_SPAWN_LIMIT = 4,
  CLINUX_SPAWN_USER = 5,
  CLINUX_SPAWN_PRIVILEGES = 6,
  CLINUX_SPAWN_PARENT = 7,
  CLINUX_SPAWN_DIRECTORY = 8,
  CLINUX_SPAWN_EXEC = 9,
  CLINUX_SPAWN_CONFINE = 10,
  /// The limit of namespaces is reached at the moment.
  CLINUX_SPAWN_NAMESPACES = 11,
};

struct clinux_spawn_descriptor {
  /// A descriptor of this process.
  int source;
  /// Its number in the child.
  int number;
};

struct clinux_spawn_limit {
  int resource;
  uint64_t value;
};

struct clinux_spawn_options {
  const char *path;
  char *const *arguments;
  char *const *environment;
  /// The child's directory; null for "/".
  const char *directory;
  /// The child's descriptors; all others are closed. 0, 1 and 2 are /dev/null unless listed.
  const struct clinux_spawn_descriptor *descriptors;
  int descriptor_count;
  const struct clinux_spawn_limit *limits;
  int limit_count;
  /// Whether the child starts a new session, and so a process group.
  int new_session;
  /// A signal for the child when the *thread* that started it ends; 0 for none.
  int parent_death_signal;
  /// Whether to become this user and group, without supplementary groups.
  int change_user;
  uint32_t uid;
  uint32_t gid;
  /// The greatest number of the child's processes and threads, itself included; 0 for no limit. In
  /// force only if the kernel allows a user namespace.
  uint64_t processes;
  /// Whether to make a process namespace, if the kernel allows it. The child is its first process,
  /// and all end with it. Signals to itself without a handler then have no effect.
  int isolate_processes;
  /// Scheduling niceness, 0 to 19.
  int niceness;
  /// Whether the kernel ends the child before others when memory runs out.
  int first_to_end;
  /// Whether to forbid all new sockets; otherwise only new Unix sockets are forbidden. The child
  /// can never reach this process: see clinux_guard.
  int isolate_network;
  /// The child's Landlock ruleset, or -1.
  int ruleset;
  /// Timeout until the exec; -ETIMEDOUT afterwards.
  int start_milliseconds;
};

struct clinux_spawn_result {
  pid_t pid;
  int pidfd;
  /// A value of enum clinux_spawn_stage.
  int stage;
  int error;
  /// Whether `processes` is not in force, because the kernel refused a user namespace.
  int is_uncounted;
  /// Whether the child has no process namespace.
  int is_unenclosed;
};

/// Starts a program and waits until its exec has succeeded or failed. 0, or a negated error number
/// with `stage` set.
int clinux_spawn(const struct clinux_spawn_options *options, struct clinux_spawn_result *result);

/// Reserves the lowest descriptor numbers for children, before peers can send any descriptors. A
/// child then never holds a descriptor with a higher number here and need not close it: closing a
/// descriptor from a peer can block without limit. Call it once, before there are threads;
/// afterwards one thread at a time may start children. 0, or a negated error number.
int clinux_keep_spawn_numbers(void);

/// Makes this process the parent of its children's orphans. 0, or a negated error number.
int clinux_adopt_orphans(void);

/// Returns freed memory to the kernel, for use after a large temporary allocation. Takes some
/// milliseconds.
void clinux_return_memory(void);

/// Makes freed blocks of 256 KiB and more return to the kernel at once. Call it once, before there
/// are threads.
void clinux_keep_no_large_memory(void);

/// The way a child ended.
struct clinux_exit {
  /// CLD_EXITED, CLD_KILLED or CLD_DUMPED.
  int code;
  /// The exit code or signal.
  int status;
};

/// Whether the child has ended: 1 and `exit`, or 0. `reap` also frees its pid.
int clinux_wait(int pidfd, int reap, struct clinux_exit *exit);

/// A close-on-exec pipe for a child's output, with a non-blocking read end.
int clinux_output_pipe(int *reader, int *writer);
#endif
