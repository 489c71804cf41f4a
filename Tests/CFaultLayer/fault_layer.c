#include "CFaultLayer.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Undoes one write or truncation that was not synced yet.
typedef struct undo {
  struct undo *older;
  sqlite3_int64 size;  // the file's size before
  sqlite3_int64 offset;
  int count;
  unsigned char bytes[];  // what was there before
} undo;

typedef struct fault_file {
  sqlite3_file base;
  cfault *fault;
  struct fault_file *next;
  undo *unsynced;
  sqlite3_file *real;
} fault_file;

struct cfault {
  sqlite3_vfs vfs;
  sqlite3_vfs *real;
  fault_file *files;
  _Atomic int kind;
  _Atomic int64_t at;
  _Atomic int64_t count;
  _Atomic int64_t readings;
  _Atomic int64_t limit;
  char *reserve;
};

static fault_file *as_fault(sqlite3_file *file) { return (fault_file *)file; }

// SQLite's own layer moves at most 128 KiB at once.
static const int piece_bytes = 1 << 16;

static void note(fault_file *file, sqlite3_int64 offset, int count) {
  undo *entry = calloc(1, sizeof(undo) + (size_t)count);
  if (!entry) abort();
  file->real->pMethods->xFileSize(file->real, &entry->size);
  entry->offset = offset;
  entry->count = count;
  for (int done = 0; done < count; done += piece_bytes) {
    int piece = count - done < piece_bytes ? count - done : piece_bytes;
    file->real->pMethods->xRead(file->real, entry->bytes + done, piece, offset + done);
  }
  entry->older = file->unsynced;
  file->unsynced = entry;
}

static void forget(fault_file *file) {
  while (file->unsynced) {
    undo *entry = file->unsynced;
    file->unsynced = entry->older;
    free(entry);
  }
}

// Undoes writes that a power failure may lose, newest first.
static void lose(cfault *fault, int keep_half) {
  for (fault_file *file = fault->files; file; file = file->next) {
    int count = 0;
    for (undo *entry = file->unsynced; entry; entry = entry->older) count++;
    int left = keep_half ? count - count / 2 : count;
    for (undo *entry = file->unsynced; entry && left > 0; entry = entry->older, left--) {
      for (int done = 0; done < entry->count; done += piece_bytes) {
        int piece = entry->count - done < piece_bytes ? entry->count - done : piece_bytes;
        file->real->pMethods->xWrite(file->real, entry->bytes + done, piece, entry->offset + done);
      }
      file->real->pMethods->xTruncate(file->real, entry->size);
    }
  }
}

// Counts one call. Returns SQLITE_OK to proceed, or the error to return. `*torn` asks the caller to
// do half and exit.
static int pass(cfault *fault, int *torn) {
  int64_t count = atomic_fetch_add(&fault->count, 1) + 1;
  int64_t at = atomic_load(&fault->at);
  int kind = atomic_load(&fault->kind);
  int forever = kind == cfault_input_forever || kind == cfault_full_forever;
  if (count != at && !(forever && count > at)) return SQLITE_OK;
  switch (kind) {
    case cfault_exit: _exit(86);
    case cfault_exit_torn: *torn = 1; return SQLITE_OK;
    case cfault_power: lose(fault, 0); _exit(86);
    case cfault_power_half: lose(fault, 1); _exit(86);
    case cfault_input_once:
    case cfault_input_forever: errno = EIO; return SQLITE_IOERR;
    case cfault_full_once:
    case cfault_full_forever: errno = ENOSPC; return SQLITE_FULL;
    default: return SQLITE_OK;
  }
}

int64_t cfault_used(cfault *fault, const char *reserve) {
  int64_t sum = 0;
  struct stat facts;
  if (reserve && stat(reserve, &facts) == 0) sum += facts.st_size;
  for (fault_file *file = fault->files; file; file = file->next) {
    sqlite3_int64 size = 0;
    file->real->pMethods->xFileSize(file->real, &size);
    sum += size;
  }
  return sum;
}

// Whether the file may grow to `end` within the limit.
static int has_room(fault_file *file, sqlite3_int64 end) {
  int64_t limit = atomic_load(&file->fault->limit);
  sqlite3_int64 size = 0;
  file->real->pMethods->xFileSize(file->real, &size);
  return limit == 0 || end <= size || cfault_used(file->fault, file->fault->reserve) + end - size <= limit;
}

static int fault_close(sqlite3_file *base) {
  fault_file *file = as_fault(base);
  fault_file **link = &file->fault->files;
  while (*link && *link != file) link = &(*link)->next;
  if (*link) *link = file->next;
  forget(file);
  int code = file->real->pMethods ? file->real->pMethods->xClose(file->real) : SQLITE_OK;
  free(file->real);
  return code;
}

static int fault_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
  cfault *fault = as_fault(base)->fault;
  sqlite3_file *real = as_fault(base)->real;
  int64_t reading = atomic_fetch_add(&fault->readings, 1) + 1;
  if (atomic_load(&fault->kind) == cfault_read_once && reading == atomic_load(&fault->at)) {
    errno = EIO;
    return SQLITE_IOERR_READ;
  }
  return real->pMethods->xRead(real, bytes, count, offset);
}

static int fault_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
  fault_file *file = as_fault(base);
  int torn = 0;
  int code = pass(file->fault, &torn);
  if (code != SQLITE_OK) return code == SQLITE_IOERR ? SQLITE_IOERR_WRITE : code;
  if (torn) {
    file->real->pMethods->xWrite(file->real, bytes, count / 2, offset);
    _exit(86);
  }
  if (!has_room(file, offset + count)) {
    errno = ENOSPC;
    return SQLITE_FULL;
  }
  note(file, offset, count);
  return file->real->pMethods->xWrite(file->real, bytes, count, offset);
}

static int fault_truncate(sqlite3_file *base, sqlite3_int64 size) {
  fault_file *file = as_fault(base);
  int torn = 0;
  int code = pass(file->fault, &torn);
  if (code != SQLITE_OK) return code == SQLITE_IOERR ? SQLITE_IOERR_TRUNCATE : code;
  if (torn) _exit(86);
  sqlite3_int64 present = 0;
  file->real->pMethods->xFileSize(file->real, &present);
  // 1 GiB is far more than any test writes.
  if (present > size && present - size < (1 << 30)) note(file, size, (int)(present - size));
  return file->real->pMethods->xTruncate(file->real, size);
}

static int fault_sync(sqlite3_file *base, int flags) {
  fault_file *file = as_fault(base);
  int torn = 0;
  int code = pass(file->fault, &torn);
  if (code != SQLITE_OK) return code == SQLITE_IOERR ? SQLITE_IOERR_FSYNC : code;
  if (torn) _exit(86);
  code = file->real->pMethods->xSync(file->real, flags);
  if (code == SQLITE_OK) forget(file);
  return code;
}

static int fault_size(sqlite3_file *base, sqlite3_int64 *size) {
  sqlite3_file *real = as_fault(base)->real;
  return real->pMethods->xFileSize(real, size);
}

static int fault_lock(sqlite3_file *base, int level) {
  sqlite3_file *real = as_fault(base)->real;
  return real->pMethods->xLock(real, level);
}

static int fault_unlock(sqlite3_file *base, int level) {
  sqlite3_file *real = as_fault(base)->real;
  return real->pMethods->xUnlock(real, level);
}

static int fault_check(sqlite3_file *base, int *held) {
  sqlite3_file *real = as_fault(base)->real;
  return real->pMethods->xCheckReservedLock(real, held);
}

static int fault_control(sqlite3_file *base, int verb, void *argument) {
  sqlite3_file *real = as_fault(base)->real;
  return real->pMethods->xFileControl(real, verb, argument);
}

static int fault_sector(sqlite3_file *base) {
  sqlite3_file *real = as_fault(base)->real;
  return real->pMethods->xSectorSize(real);
}

static int fault_traits(sqlite3_file *base) {
  sqlite3_file *real = as_fault(base)->real;
  return real->pMethods->xDeviceCharacteristics(real);
}

// Version 1, without shared memory: the store opens its database exclusively.
static const sqlite3_io_methods methods = {
  1, fault_close, fault_read, fault_write, fault_truncate, fault_sync, fault_size, fault_lock, fault_unlock,
  fault_check, fault_control, fault_sector, fault_traits, 0, 0, 0, 0, 0, 0,
};

static int fault_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out) {
  cfault *fault = (cfault *)vfs;
  fault_file *file = as_fault(base);
  memset(file, 0, sizeof *file);
  file->real = calloc(1, (size_t)fault->real->szOsFile);
  if (!file->real) return SQLITE_NOMEM;
  int code = fault->real->xOpen(fault->real, name, file->real, flags, out);
  if (code != SQLITE_OK) {
    if (file->real->pMethods) file->real->pMethods->xClose(file->real);
    free(file->real);
    return code;
  }
  file->fault = fault;
  file->next = fault->files;
  fault->files = file;
  file->base.pMethods = &methods;
  return SQLITE_OK;
}

static int fault_delete(sqlite3_vfs *vfs, const char *name, int sync) {
  cfault *fault = (cfault *)vfs;
  int torn = 0;
  int code = pass(fault, &torn);
  if (code != SQLITE_OK) return code == SQLITE_IOERR ? SQLITE_IOERR_DELETE : code;
  if (torn) _exit(86);
  return fault->real->xDelete(fault->real, name, sync);
}

cfault *cfault_register(const char *name) {
  sqlite3_vfs *real = sqlite3_vfs_find(0);
  cfault *fault = calloc(1, sizeof *fault);
  char *kept = strdup(name);
  if (!real || !fault || !kept) {
    free(fault);
    free(kept);
    return 0;
  }
  fault->vfs = *real;
  fault->vfs.pNext = 0;
  fault->vfs.zName = kept;
  fault->vfs.szOsFile = (int)sizeof(fault_file);
  fault->vfs.xOpen = fault_open;
  fault->vfs.xDelete = fault_delete;
  fault->real = real;
  if (sqlite3_vfs_register(&fault->vfs, 0) != SQLITE_OK) {
    free(fault);
    free(kept);
    return 0;
  }
  return fault;
}

void cfault_arm(cfault *fault, cfault_kind kind, int64_t at) {
  atomic_store(&fault->count, 0);
  atomic_store(&fault->readings, 0);
  atomic_store(&fault->at, at);
  atomic_store(&fault->kind, (int)kind);
}

void cfault_limit(cfault *fault, int64_t bytes, const char *reserve) {
  char *before = fault->reserve;
  fault->reserve = reserve ? strdup(reserve) : 0;
  atomic_store(&fault->limit, bytes);
  free(before);
}

int64_t cfault_count(cfault *fault) { return atomic_load(&fault->count); }
