// Birth times of files. statx is behind _GNU_SOURCE.
#ifndef CLINUX_BIRTH_TIME_H
#define CLINUX_BIRTH_TIME_H
#include <stdint.h>

// A file's identity, which survives moves: device, inode and birth time.
struct clinux_file_identity {
  uint64_t device;
  uint64_t inode;
  int64_t birth_seconds;      // since 1970
  uint32_t birth_nanoseconds;
  int has_birth_time;         // zero: the file system keeps none, and the two fields above are zero
};

// The identity of an open file; O_PATH suffices, also for a symbolic link itself. 0 or -errno.
int clinux_file_identity(int fd, struct clinux_file_identity *identity);
#endif
