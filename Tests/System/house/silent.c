// A file system of one file whose closing is never answered, mounted by the user who starts it.
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fuse.h>
#include <string.h>
#include <unistd.h>

static const char content[] = "nothing that anybody reads\n";

static int facts(const char *path, struct stat *found, struct fuse_file_info *file) {
  (void)file;
  memset(found, 0, sizeof *found);
  if (strcmp(path, "/") == 0) {
    found->st_mode = S_IFDIR | 0755;
  } else if (strcmp(path, "/silent.jpg") == 0) {
    found->st_mode = S_IFREG | 0600;
    found->st_size = sizeof content;
    found->st_uid = getuid();
  } else {
    return -ENOENT;
  }
  found->st_nlink = 1;
  return 0;
}

static int opening(const char *path, struct fuse_file_info *file) {
  (void)path, (void)file;
  return 0;
}

static int never(const char *path, struct fuse_file_info *file) {
  (void)path, (void)file;
  for (;;) pause();
}

int main(int count, char **arguments) {
  struct fuse_operations operations = {.getattr = facts, .open = opening, .flush = never};
  return fuse_main(count, arguments, &operations, NULL);
}
