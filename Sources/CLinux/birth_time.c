#define _GNU_SOURCE
#include "birth_time.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

int clinux_file_identity(int fd, struct clinux_file_identity *identity) {
  struct statx facts;
  if (statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &facts) < 0) return -errno;
  int known = (facts.stx_mask & STATX_BTIME) != 0;
  identity->device = (uint64_t)facts.stx_dev_major << 32 | facts.stx_dev_minor;
  identity->inode = facts.stx_ino;
  identity->birth_seconds = known ? facts.stx_btime.tv_sec : 0;
  identity->birth_nanoseconds = known ? facts.stx_btime.tv_nsec : 0;
  identity->has_birth_time = known;
  return 0;
}
