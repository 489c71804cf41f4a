// A layer between SQLite and the file system that fails on purpose, for tests: it counts what changes files and, at a
// chosen call, ends the process or answers with an error. Nothing registers it but a test.
#ifndef CSQLITE_FAULT_VFS_H
#define CSQLITE_FAULT_VFS_H

#include <stdint.h>

/// What happens at the chosen call.
typedef enum csqlite_fault_kind {
  csqlite_fault_none = 0,
  /// The process ends before the call, with status 86.
  csqlite_fault_exit = 1,
  /// The process ends in the middle of the call: half of a write is there.
  csqlite_fault_exit_torn = 2,
  /// Power fails before the call: the process ends, and what was written since the last sync is gone.
  csqlite_fault_power = 3,
  /// The same, but the older half of what was not synced is there.
  csqlite_fault_power_half = 4,
  /// The call fails with an input/output error, once.
  csqlite_fault_input_once = 5,
  /// This call and all later ones fail so.
  csqlite_fault_input_forever = 6,
  /// The file system is full, for this call only.
  csqlite_fault_full_once = 7,
  csqlite_fault_full_forever = 8,
  /// Reading fails with an input/output error, once; the chosen call is the so many-th reading.
  csqlite_fault_read_once = 9,
} csqlite_fault_kind;

/// One such layer with its own counter.
typedef struct csqlite_fault csqlite_fault;

/// Registers a layer under a name; it lives as long as the process. NULL without memory.
csqlite_fault *csqlite_fault_register(const char *name);
/// Chooses the call, counted from 1 and from now on.
void csqlite_fault_arm(csqlite_fault *fault, csqlite_fault_kind kind, int64_t at);
/// Makes the layer's file system `bytes` large, of which the file `reserve` (a path; its size is
/// read each time) takes its part: what would grow a file beyond that fails as on a full disk. 0:
/// no limit.
void csqlite_fault_limit(csqlite_fault *fault, int64_t bytes, const char *reserve);
/// Sizes of the layer's open files and of `reserve`, in bytes; while no call of the layer is under way.
int64_t csqlite_fault_used(csqlite_fault *fault, const char *reserve);
/// Writes, truncations, syncs and deletions since the last `arm`.
int64_t csqlite_fault_count(csqlite_fault *fault);

#endif
