#include "CSQLite.h"

#include <errno.h>
#include <stdlib.h>

int csqlite_set_switch(sqlite3 *database, int verb, int on) {
  return sqlite3_db_config(database, verb, on, (int *)0);
}

int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  // A null pointer would bind NULL instead of an empty blob.
  return sqlite3_bind_blob(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *bytes, int count) {
  return sqlite3_bind_text(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

static int cut(sqlite3_file *file, int64_t size) {
  sqlite3_int64 present = 0;
  int code = file->pMethods->xFileSize(file, &present);
  if (code != SQLITE_OK) return code;
  if (present > size) {
    code = file->pMethods->xTruncate(file, size);
    if (code != SQLITE_OK) return code;
  }
  return file->pMethods->xSync(file, SQLITE_SYNC_FULL);
}

int csqlite_cut_log(const char *name, const char *path, int64_t size, int *system_error) {
  *system_error = 0;
  sqlite3_vfs *vfs = sqlite3_vfs_find(name);
  if (!vfs) return SQLITE_CANTOPEN;
  int exists = 0;
  int code = vfs->xAccess(vfs, path, SQLITE_ACCESS_EXISTS, &exists);
  if (code != SQLITE_OK || !exists) return code;
  // Made by SQLite, because the layer may read URI parameters behind the name.
  const char *file_name = sqlite3_create_filename(path, "", "", 0, 0);
  sqlite3_file *file = calloc(1, (size_t)vfs->szOsFile);
  if (!file_name || !file) {
    code = SQLITE_NOMEM;
  } else {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_WAL;
    code = vfs->xOpen(vfs, file_name, file, flags, &flags);
    if (code == SQLITE_OK) code = cut(file, size);
    if (code != SQLITE_OK) *system_error = errno;
    if (file->pMethods) file->pMethods->xClose(file);
  }
  free(file);
  if (file_name) sqlite3_free_filename(file_name);
  return code;
}

static int watch(void *frames, sqlite3 *database, const char *name, int count) {
  (void)database;
  (void)name;
  *(int32_t *)frames = count;
  return SQLITE_OK;
}

void csqlite_watch_log(sqlite3 *database, int32_t *frames) { sqlite3_wal_hook(database, watch, frames); }
