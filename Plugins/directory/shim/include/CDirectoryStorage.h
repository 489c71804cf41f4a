#ifndef CDIRECTORY_STORAGE_H
#define CDIRECTORY_STORAGE_H
#include <stdint.h>

// State of a directory entry. Swift's Glibc module has no statx, and stat has no birth time.
struct directory_entry_facts {
  uint32_t mode;
  uint32_t uid;
  uint32_t links;  // number of hard links
  int64_t size;
  int64_t modified_seconds;
  int64_t modified_nanoseconds;
  int64_t changed_seconds;  // last change of content, names, owner or permissions
  uint64_t device;
  uint64_t inode;
  int64_t birth_nanoseconds;  // 0 if the file system has none
};

// Reads an entry without following links. Returns 0 or an errno value.
int directory_entry_look(int directory, const char *name, struct directory_entry_facts *facts);
// Renames without ever replacing a file. Returns 0 or an errno value.
int directory_entry_move(int from, const char *name, int to, const char *other);
// Magic number of the file system, or 0.
long directory_file_system(int directory);
// Identifier of the file system; stable across remounts if the file system has one of its own.
// Returns 0 or an errno value.
int directory_volume(int directory, uint64_t *volume);
// Mode whose group bits apply to new entries of a folder. It is the folder's own mode, 0 if new
// entries get another group, or 0070 if the folder has a default ACL, which then decides.
uint32_t directory_shared_mode(int directory);
#endif
