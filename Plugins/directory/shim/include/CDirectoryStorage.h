#ifndef CDIRECTORY_STORAGE_H
#define CDIRECTORY_STORAGE_H
#include <stdint.h>

// What one name in a folder is. Swift's Glibc module has no statx, and stat has no birth time.
struct directory_entry_facts {
  uint32_t mode;
  uint32_t uid;
  uint32_t links; // names
  int64_t size;
  int64_t modified_seconds;
  int64_t modified_nanoseconds;
  int64_t changed_seconds; // of content, names, owner or permissions
  uint64_t device;
  uint64_t inode;
  int64_t birth_nanoseconds; // 0 where the file system has none
};

// 0, or an error number. Does not follow symbolic links.
int directory_entry_look(int directory, const char *name, struct directory_entry_facts *facts);
// 0, or an error number: moves without ever replacing.
int directory_entry_move(int from, const char *name, int to, const char *other);
// The kind of a file system by its magic number, or 0.
long directory_file_system(int directory);
// 0, or an error number: what the file system calls itself, the same after it was taken away and
// came back where it has an identifier of its own.
int directory_volume(int directory, uint64_t *volume);
// The mode whose group's bits are for what is made in a folder: the folder's own, none where the
// group of what this process makes there is another one, and all where an access list for what is
// made there decides.
uint32_t directory_shared_mode(int directory);
#endif
