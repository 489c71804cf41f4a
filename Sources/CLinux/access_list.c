#include "access_list.h"
#include <errno.h>
#include <sys/xattr.h>

int64_t clinux_access_list(const char *path, void *buffer, size_t capacity) {
  ssize_t length = getxattr(path, "system.posix_acl_access", buffer, capacity);
  return length < 0 ? -errno : length;
}

int32_t clinux_has_default_access_list(const char *path) {
  return getxattr(path, "system.posix_acl_default", NULL, 0) > 0;
}
