#define _GNU_SOURCE
#include "remove_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// Opens a folder, even one that its owner may not list or change: a stranger chose its mode.
/// Follows no link.
static int open_folder(int parent, const char *name) {
  int place = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (place < 0) return -1;
  char path[40];
  snprintf(path, sizeof path, "/proc/self/fd/%d", place);
  chmod(path, 0700);
  int folder = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  close(place);
  return folder;
}

static DIR *list(int folder) {
  int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = copy < 0 ? NULL : fdopendir(copy);
  if (!stream && copy >= 0) close(copy);
  return stream;
}

static int is_dots(const char *name) { return !strcmp(name, ".") || !strcmp(name, ".."); }

/// Removes a folder's files and moves its subfolders up into `top`, which keeps the depth small.
/// Returns whether anything was removed or moved.
static int empty(int folder, int top, unsigned long *moved) {
  DIR *stream = list(folder);
  if (!stream) return 0;
  int is_less = 0;
  for (struct dirent *entry; (entry = readdir(stream));) {
    if (is_dots(entry->d_name)) continue;
    if (unlinkat(folder, entry->d_name, 0) == 0 || unlinkat(folder, entry->d_name, AT_REMOVEDIR) == 0) {
      is_less = 1;
      continue;
    }
    // A folder must be writable before it can be moved.
    int inner = open_folder(folder, entry->d_name);
    if (inner < 0) continue;
    close(inner);
    char name[40];
    snprintf(name, sizeof name, ".moved-%lu", ++*moved);
    if (renameat(folder, entry->d_name, top, name) == 0) is_less = 1;
  }
  closedir(stream);
  return is_less;
}

int clinux_remove_tree(const char *path) {
  int top = open_folder(AT_FDCWD, path);
  if (top < 0) return errno == ENOENT ? 0 : -errno;
  unsigned long moved = 0;
  // Ends when nothing can be removed any more: another process may be filling the folder.
  for (int is_less = 1; is_less;) {
    is_less = 0;
    DIR *stream = list(top);
    if (!stream) break;
    for (struct dirent *entry; (entry = readdir(stream));) {
      if (is_dots(entry->d_name)) continue;
      if (unlinkat(top, entry->d_name, 0) == 0 || unlinkat(top, entry->d_name, AT_REMOVEDIR) == 0) {
        is_less = 1;
        continue;
      }
      int folder = open_folder(top, entry->d_name);
      if (folder < 0) continue;
      if (empty(folder, top, &moved)) is_less = 1;
      close(folder);
    }
    closedir(stream);
  }
  close(top);
  return rmdir(path) < 0 ? -errno : 0;
}
