// SQLite, with functions in place of calls and macros that Swift cannot use.
#ifndef CSQLITE_H
#define CSQLITE_H

#include <sqlite3.h>
#include <stdint.h>

/// `sqlite3_db_config` for options with a switch; the original is variadic.
int csqlite_set_switch(sqlite3 *database, int verb, int on);

/// The same for bytes that SQLite copies.
int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count);
int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *bytes, int count);

/// Truncates a write-ahead log to `size` bytes and syncs it, through the file system layer named
/// `vfs` (NULL: the default), so that tests can intercept it. Leaves an absent or shorter log
/// alone. Returns an SQLite result code; `*system_error` is errno, if there is one.
int csqlite_cut_log(const char *vfs, const char *path, int64_t size, int *system_error);

/// Stores the write-ahead log's number of frames in `frames` at each commit, and turns automatic
/// checkpoints off.
void csqlite_watch_log(sqlite3 *database, int32_t *frames);

#endif
