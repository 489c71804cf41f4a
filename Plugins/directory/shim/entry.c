#define _GNU_SOURCE
#include "CDirectoryStorage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <sys/vfs.h>

int directory_entry_look(int directory, const char *name, struct directory_entry_facts *facts) {
  struct statx found;
  if (statx(directory, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_BASIC_STATS | STATX_BTIME, &found) != 0)
    return errno;
  memset(facts, 0, sizeof *facts);
  facts->mode = found.stx_mode;
  facts->uid = found.stx_uid;
  facts->links = found.stx_nlink;
  facts->size = (int64_t)found.stx_size;
  facts->modified_seconds = found.stx_mtime.tv_sec;
  facts->modified_nanoseconds = found.stx_mtime.tv_nsec;
  facts->changed_seconds = found.stx_ctime.tv_sec;
  facts->device = (uint64_t)found.stx_dev_major << 32 | found.stx_dev_minor;
  facts->inode = found.stx_ino;
  if (found.stx_mask & STATX_BTIME)
    facts->birth_nanoseconds = found.stx_btime.tv_sec * 1000000000 + found.stx_btime.tv_nsec;
  return 0;
}

int directory_entry_move(int from, const char *name, int to, const char *other) {
  return renameat2(from, name, to, other, RENAME_NOREPLACE) == 0 ? 0 : errno;
}

long directory_file_system(int directory) {
  struct statfs facts;
  return fstatfs(directory, &facts) == 0 ? (long)facts.f_type : 0;
}

int directory_volume(int directory, uint64_t *volume) {
  struct statfs facts;
  if (fstatfs(directory, &facts) != 0) return errno;
  memcpy(volume, &facts.f_fsid, sizeof *volume);
  return 0;
}

uint32_t directory_shared_mode(int directory) {
  if (fgetxattr(directory, "system.posix_acl_default", NULL, 0) > 0) return 0070;
  struct stat facts;
  if (fstat(directory, &facts) != 0) return 0;
  return facts.st_mode & S_ISGID || facts.st_gid == getegid() ? facts.st_mode : 0;
}
