// A SQLite file system layer that fails on purpose, for tests only. It counts calls that change
// files. At a chosen call it ends the process or returns an error.
#ifndef CSQLITE_FAULT_VFS_H
#define CSQLITE_FAULT_VFS_H

#include <stdint.h>

/// The event at the chosen call.
typedef enum csqlite_fault_kind {
  csqlite_fault_none = 0,
  /// The process ends before the call, with status 86.
  csqlite_fault_exit = 1,
  /// The process ends during the call: half of a write is in the file.
  csqlite_fault_exit_torn = 2,
  /// Power fails before the call: the process ends, and all writes since the last sync are lost.
  csqlite_fault_power = 3,
  /// The same, but only the newer half of those writes is lost.
  csqlite_fault_power_half = 4,
  /// The call fails with an input/output error, once.
  csqlite_fault_input_once = 5,
  /// This call and all later ones fail with an input/output error.
  csqlite_fault_input_forever = 6,
  /// The file system is full, for this call only.
  csqlite_fault_full_once = 7,
  csqlite_fault_full_forever = 8,
  /// One read fails with an input/output error; the count is of reads.
  csqlite_fault_read_once = 9,
} csqlite_fault_kind;

/// One layer with its own counter.
typedef struct csqlite_fault csqlite_fault;

/// Registers a layer under a name, for the process's life. NULL without memory.
csqlite_fault *csqlite_fault_register(const char *name);
/// Chooses the call, counted from 1 starting now.
void csqlite_fault_arm(csqlite_fault *fault, csqlite_fault_kind kind, int64_t at);
/// Limits the layer's file system to `bytes`, shared with the file at the path `reserve`, whose
/// size is read each time. Growth beyond that fails as on a full disk. 0 for no limit.
void csqlite_fault_limit(csqlite_fault *fault, int64_t bytes, const char *reserve);
/// The sizes of the layer's open files and of `reserve` in bytes; only between calls.
int64_t csqlite_fault_used(csqlite_fault *fault, const char *reserve);
/// The number of writes, truncations, syncs and deletions since the last `arm`.
int64_t csqlite_fault_count(csqlite_fault *fault);

#endif
