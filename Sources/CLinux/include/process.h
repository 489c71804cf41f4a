#ifndef CLINUX_PROCESS_H
#define CLINUX_PROCESS_H
// Starting and ending child processes. Between the fork and the exec only async-signal-safe calls
// may run, and Swift code never is: the whole way is therefore C. Results are as in delivery.h:
// non-negative, or the negated error number.

#include <stdint.h>
#include <sys/types.h>

/// Where a start failed; 0 is success.
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
  /// Namespaces that there are too many of right now.
  CLINUX_SPAWN_NAMESPACES = 11,
};

struct clinux_spawn_descriptor {
  /// A descriptor of this process.
  int source;
  /// The number that it has in the child.
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
  /// Directory of the child, null for "/".
  const char *directory;
  /// Everything else is closed; 0, 1 and 2 are /dev/null where they are not listed.
  const struct clinux_spawn_descriptor *descriptors;
  int descriptor_count;
  const struct clinux_spawn_limit *limits;
  int limit_count;
  /// A session, and so a process group, of its own.
  int new_session;
  /// A signal that the child gets when the *thread* that started it ends; 0 for none.
  int parent_death_signal;
  /// Become this user and group, with no supplementary groups.
  int change_user;
  uint32_t uid;
  uint32_t gid;
  /// How many processes and threads it may have, itself among them, where the kernel gives it a
  /// user namespace; 0: any number.
  uint64_t processes;
  /// A namespace of its own for its processes, where the kernel gives one: it is the first of them,
  /// and all end with it. What it signals to itself without a handler does nothing then.
  int isolate_processes;
  /// How much it stands back where processors are scarce, 0 to 19.
  int niceness;
  /// When memory runs out the kernel ends it before others.
  int first_to_end;
  /// Cut the child off from every network; else only from sockets of the Unix family. It never
  /// reaches this process: see clinux_guard.
  int isolate_network;
  /// Landlock's rules for the child, or -1.
  int ruleset;
  /// How long the way to the exec may take; -ETIMEDOUT afterwards.
  int start_milliseconds;
};

struct clinux_spawn_result {
  pid_t pid;
  int pidfd;
  /// enum clinux_spawn_stage.
  int stage;
  int error;
  /// Whether `processes` is not in force: the kernel gave it no user namespace.
  int is_uncounted;
  /// Whether it has no namespace of its own for its processes.
  int is_unenclosed;
};

/// Starts a program and waits until its exec has happened or failed. 0, or a negated error number with `stage` set.
int clinux_spawn(const struct clinux_spawn_options *options, struct clinux_spawn_result *result);

/// Keeps the lowest descriptor numbers for what children are given, before others can send any:
/// from then on a child that is started never holds, and on its exec never closes, what has a
/// higher number here. Closing what somebody else sent can take for ever. Call it once, before
/// there are threads; children are then started by one thread at a time. 0, or a negated error
/// number.
int clinux_keep_spawn_numbers(void);

/// Has the kernel give this process what its children leave behind. 0, or a negated error number.
int clinux_adopt_orphans(void);

/// Gives memory that was freed back to the kernel: after something large was read once. Takes some milliseconds.
void clinux_return_memory(void);

/// From here on what is freed of 256 KiB and more goes back to the kernel at once. Call it once,
/// before there are threads.
void clinux_keep_no_large_memory(void);

/// How a child ended.
struct clinux_exit {
  /// CLD_EXITED, CLD_KILLED or CLD_DUMPED.
  int code;
  /// Exit code or signal.
  int status;
};

/// Whether the child has ended: 1 and `exit`, or 0. With `reap` its pid is given back.
int clinux_wait(int pidfd, int reap, struct clinux_exit *exit);

/// A close-on-exec pipe for a child's output; its reading end does not block.
int clinux_output_pipe(int *reader, int *writer);
#endif
