#ifndef CLINUX_CONFINE_H
#define CLINUX_CONFINE_H
// What a child may not reach: the network, its parent, and folders that Landlock keeps from it. Results are as in
// delivery.h: non-negative, or the negated error number.

#include <stdint.h>
#include <sys/types.h>

/// What a ruleset grants below a folder.
enum clinux_reach {
  /// Everything that the user may do there.
  CLINUX_REACH_ALL = 0,
  /// Reading files and folders, and running files.
  CLINUX_REACH_READ = 1,
  /// Names of files and folders.
  CLINUX_REACH_LIST = 2,
};

/// Under this ruleset no file can be opened, but where clinux_ruleset_allow lets it. -ENOSYS or
/// -EOPNOTSUPP where the kernel has no Landlock.
int clinux_ruleset(void);

/// Whether a ruleset keeps its processes' signals among themselves: from Linux 6.12 on.
int clinux_scopes_signals(void);

/// Lets files be used at and below an open file or folder, whatever is mounted there later. 0, or a
/// negated error number.
int clinux_ruleset_allow(int ruleset, int place, enum clinux_reach reach);

/// Opens a place for a rule: O_PATH, close-on-exec.
int clinux_open_place(const char *path);

/// Opens an entry of a folder for a rule without touching what is mounted on it: -EXDEV for a mount
/// point. No symbolic link is followed.
int clinux_open_entry(int folder, const char *name);

/// Async-signal-safe. For good, and for whatever this process starts: no new socket (of the Unix
/// family only, where `has_network`), no signal, limit or look into `parent`, no say in how much of
/// the machine others get, and no mode, owner, time or mark of a file. `group` is the parent's
/// process group. Where no ruleset that scopes signals is in force (`is_scoped`), it signals itself
/// and process groups alone. 0, or an error number. Wants no_new_privs.
int clinux_guard(pid_t parent, pid_t group, int has_network, int is_scoped);

/// Async-signal-safe. Puts this process under a ruleset, for good. 0, or an error number. Wants no_new_privs.
int clinux_restrict(int ruleset);
#endif
