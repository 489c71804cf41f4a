// A SQLite file system layer that fails on purpose, for tests only. It counts calls that change
// files. At a chosen call it ends the process or returns an error.
#ifndef CFAULTLAYER_H
#define CFAULTLAYER_H

#include <stdint.h>

/// The event at the chosen call.
typedef enum cfault_kind {
  cfault_none = 0,
  /// The process ends before the call, with status 86.
  cfault_exit = 1,
  /// The process ends during the call: half of a write is in the file.
  cfault_exit_torn = 2,
  /// Power fails before the call: the process ends, and all writes since the last sync are lost.
  cfault_power = 3,
  /// The same, but only the newer half of those writes is lost.
  cfault_power_half = 4,
  /// The call fails with an input/output error, once.
  cfault_input_once = 5,
  /// This call and all later ones fail with an input/output error.
  cfault_input_forever = 6,
  /// The file system is full, for this call only.
  cfault_full_once = 7,
  cfault_full_forever = 8,
  /// One read fails with an input/output error; the count is of reads.
  cfault_read_once = 9,
} cfault_kind;

/// One layer with its own counter.
typedef struct cfault cfault;

/// Registers a layer under a name, for the process's life. NULL without memory.
cfault *cfault_register(const char *name);
/// Chooses the call, counted from 1 starting now.
void cfault_arm(cfault *fault, cfault_kind kind, int64_t at);
/// Limits the layer's file system to `bytes`, shared with the file at the path `reserve`, whose
/// size is read each time. Growth beyond that fails as on a full disk. 0 for no limit.
void cfault_limit(cfault *fault, int64_t bytes, const char *reserve);
/// The sizes of the layer's open files and of `reserve` in bytes; only between calls.
int64_t cfault_used(cfault *fault, const char *reserve);
/// The number of writes, truncations, syncs and deletions since the last `arm`.
int64_t cfault_count(cfault *fault);

#endif
