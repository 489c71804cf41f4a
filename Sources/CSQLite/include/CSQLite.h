// SQLite, and the little of it that Swift cannot call as it stands.
#ifndef CSQLITE_H
#define CSQLITE_H

#include <sqlite3.h>
#include <stdint.h>

/// `sqlite3_db_config` for the verbs that take a switch; it is variadic, which Swift cannot call.
int csqlite_set_switch(sqlite3 *database, int verb, int on);

/// `sqlite3_bind_blob` and `sqlite3_bind_text` with bytes that stay where they are until the statement is reset.
/// (`SQLITE_STATIC` is a null function pointer and `SQLITE_TRANSIENT` a cast of -1: macros that Swift does not see.)
int csqlite_bind_static_blob(sqlite3_stmt *statement, int index, const void *bytes, int count);
/// The same with bytes that SQLite copies.
int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count);
int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *bytes, int count);

/// Cuts a write-ahead log to `size` bytes and syncs it, through the file system layer named `vfs`
/// (NULL: the default), so that a test sees these calls as well. A log that is absent or shorter
/// stays as it is. Returns an SQLite result code; `*system_error` is errno where there is one.
int csqlite_cut_log(const char *vfs, const char *path, int64_t size, int *system_error);

/// Has every commit store the number of frames that the write-ahead log then holds; SQLite
/// checkpoints nothing by itself.
void csqlite_watch_log(sqlite3 *database, int32_t *frames);

#endif
