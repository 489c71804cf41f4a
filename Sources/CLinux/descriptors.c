#define _GNU_SOURCE
#include "descriptors.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int clinux_duplicate(int fd, int lowest) {
  int copy = fcntl(fd, F_DUPFD_CLOEXEC, lowest);
  return copy < 0 ? -errno : copy;
}

static int change_flag(int fd, int get, int set, int flag, int on) {
  int flags = fcntl(fd, get);
  if (flags < 0) return -errno;
  return fcntl(fd, set, on ? flags | flag : flags & ~flag) < 0 ? -errno : 0;
}

int clinux_set_nonblocking(int fd, int nonblocking) {
  return change_flag(fd, F_GETFL, F_SETFL, O_NONBLOCK, nonblocking);
}

int clinux_set_close_on_exec(int fd, int close_on_exec) {
  return change_flag(fd, F_GETFD, F_SETFD, FD_CLOEXEC, close_on_exec);
}

int clinux_open(const char *path, int flags, unsigned int mode) {
  int fd;
  do fd = open(path, flags | O_CLOEXEC, mode);
  while (fd < 0 && errno == EINTR);
  return fd < 0 ? -errno : fd;
}

long clinux_read_small_file(const char *path, char *bytes, size_t capacity) {
  int fd = clinux_open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK, 0);
  if (fd < 0) return fd;
  size_t filled = 0;
  long result = 0;
  while (filled < capacity) {
    ssize_t count = read(fd, bytes + filled, capacity - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) result = -errno;
    if (count <= 0) break;
    filled += (size_t)count;
  }
  close(fd);
  return result < 0 ? result : (long)filled;
}
