#ifndef CLINUX_CONFINE_H
#define CLINUX_CONFINE_H
// Restrictions for child processes: the network, the parent, and folders under Landlock. Results
// are as in delivery.h: non-negative, or the negated error number.

#include <stdint.h>
#include <sys/types.h>

/// The access that a ruleset grants below a folder.
enum clinux_reach {
  /// All rights of the user.
  CLINUX_REACH_ALL = 0,
  /// Reading files and folders, and running files.
  CLINUX_REACH_READ = 1,
  /// Names of files and folders.
  CLINUX_REACH_LIST = 2,
};

/// A Landlock ruleset that allows no file to be opened, except by clinux_ruleset_allow. -ENOSYS or
/// -EOPNOTSUPP on a kernel without Landlock.
int clinux_ruleset(void);

/// Whether rulesets confine signals to their own processes: from Linux 6.12 on.
int clinux_scopes_signals(void);

/// Allows access at and below an open file or folder, including later mounts. 0, or a negated error
/// number.
int clinux_ruleset_allow(int ruleset, int place, enum clinux_reach reach);

/// Opens a place for a rule: O_PATH, close-on-exec.
int clinux_open_place(const char *path);

/// Opens an entry of a folder for a rule without touching a mount on it: -EXDEV for a mount point.
/// Follows no symbolic link.
int clinux_open_entry(int folder, const char *name);

/// Restricts this process and its future children, for good. Async-signal-safe; needs no_new_privs.
///
/// - Sockets: no new ones. With `has_network` only new Unix sockets are refused.
/// - The process `parent`: no signal, limit, or access to its memory. `group` is its process group.
/// - Scheduling of other processes, and modes, owners, times and flags of files: no change.
/// - Signals: without a ruleset that scopes them (`is_scoped`), only to itself and to process
///   groups.
///
/// Returns 0 or an error number.
int clinux_guard(pid_t parent, pid_t group, int has_network, int is_scoped);

/// Puts this process under a ruleset, for good. Async-signal-safe; needs no_new_privs. 0, or an
/// error number.
int clinux_restrict(int ruleset);
#endif
