// A read-only folder that a program serves (FUSE): libfuse3 for Swift, which cannot call its macros.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// What one file is.
typedef struct {
  /// Names the file for as long as it is there, and no other file ever.
  uint64_t inode;
  /// Bytes.
  int64_t size;
  int64_t modifiedSeconds;
  int64_t modifiedNanoseconds;
} CPictureFile;

/// Takes one name of a listing; another value than 0: enough.
typedef int (*CPictureSink)(void *sink, const char *name, const CPictureFile *file);

/// An open file of which there is no descriptor: its bytes are asked for as they are read.
enum { CPICTURE_PIECES = INT32_MAX };

/// Who knows what is in the folder. Called from several threads at a time.
typedef struct {
  void *context;
  void (*list)(void *context, void *sink, CPictureSink take);
  /// 0 and the file, or a negative errno.
  int (*look)(void *context, const char *name, CPictureFile *file);
  /// A descriptor open for reading, which is closed by the folder; CPICTURE_PIECES; or a negative errno.
  int (*open)(void *context, const char *name, uint64_t *inode);
  /// Bytes of a file that was opened with CPICTURE_PIECES: how many were read, fewer than asked for
  /// at its end alone, or a negative errno.
  int64_t (*read)(void *context, uint64_t inode, char *buffer, size_t size, int64_t offset);
  /// What such a file is: 0, or a negative errno.
  int (*facts)(void *context, uint64_t inode, CPictureFile *file);
  /// Whether a file that was opened is still there.
  int (*holds)(void *context, uint64_t inode);
} CPictureSource;

typedef struct CPictureFolder CPictureFolder;

/// Moves this process, which must have no other thread yet, into a user and mount namespace of its
/// own, where it may mount without any privilege and nobody outside sees that; users and groups
/// stay the same. 0, or a negative errno.
int cpicture_enter_namespace(void);

/// Mounts the folder on an empty one of the caller's. NULL: it could not be; what libfuse said is on standard error.
CPictureFolder *cpicture_mount(const char *place, CPictureSource source);

/// Serves until the folder is unmounted or `cpicture_stop` is called, and unmounts it then. Once
/// only. Not 0: it failed.
int cpicture_serve(CPictureFolder *folder);

/// Makes the kernel forget what it has of a file's bytes and name.
void cpicture_forget(CPictureFolder *folder, const char *name);

/// Ends `cpicture_serve`, from another thread, and waits for that.
void cpicture_stop(CPictureFolder *folder);
