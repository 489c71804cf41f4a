// A read-only FUSE folder: libfuse3 for Swift, which cannot call its macros.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// The attributes of one file.
typedef struct {
  /// The number that programs see. One file of a photo always has the same.
  uint64_t inode;
  /// Unique for the life of the folder, even after the file is gone.
  uint64_t serial;
  /// In bytes.
  int64_t size;
  int64_t modifiedSeconds;
  int64_t modifiedNanoseconds;
} CPictureFile;

/// Receives one name of a listing. A nonzero result ends the listing.
typedef int (*CPictureSink)(void *sink, const char *name, const CPictureFile *file);

/// An open file without a descriptor: its bytes are requested as they are read.
enum { CPICTURE_PIECES = INT32_MAX };

/// The source of the folder's content. Called on several threads at a time.
typedef struct {
  void *context;
  void (*list)(void *context, void *sink, CPictureSink take);
  /// 0 and the file, or a negative errno.
  int (*look)(void *context, const char *name, CPictureFile *file);
  /// A descriptor open for reading, which the folder closes; CPICTURE_PIECES; or a negative errno.
  int (*open)(void *context, const char *name, CPictureFile *file);
  /// Reads a file that was opened with CPICTURE_PIECES. Returns the number of bytes, less than
  /// `size` only at the end, or a negative errno.
  int64_t (*read)(void *context, uint64_t serial, char *buffer, size_t size, int64_t offset);
  /// The attributes of such a file. 0, or a negative errno.
  int (*facts)(void *context, uint64_t serial, CPictureFile *file);
  /// Whether an opened file is still in the folder.
  int (*holds)(void *context, uint64_t serial);
} CPictureSource;

typedef struct CPictureFolder CPictureFolder;

/// Moves this process, which must have only one thread, into its own user and mount namespace.
/// There it may mount without privilege, invisibly to others; user and group stay the same. 0, or a
/// negative errno.
int cpicture_enter_namespace(void);

/// Mounts the folder on an empty one of the caller's user. NULL on failure, with libfuse's message
/// on standard error. `user` may read it beside the caller; -1: nobody else.
CPictureFolder *cpicture_mount(const char *place, CPictureSource source, int64_t user);

/// Serves until the folder is unmounted or `cpicture_stop` is called, then unmounts it. Call it
/// once. Nonzero on failure.
int cpicture_serve(CPictureFolder *folder);

/// Drops the kernel's cache of a file's bytes and name.
void cpicture_forget(CPictureFolder *folder, const char *name);

/// Ends `cpicture_serve` on another thread and waits for its end.
void cpicture_stop(CPictureFolder *folder);
